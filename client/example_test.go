package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"

	"signet/client"
)

func Example() {
	c, err := client.New("https://messages.example.org", "KEY", "SECRET")
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	sent, err := c.Send(context.Background(), client.Outgoing{Recipient: "bob@example.com", Body: "Bed 12 is free."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("sent", sent.MessageID)
}

// A file of any size is streamed; it is never whole in memory.
func ExampleClient_Send_attachment() {
	var c *client.Client // of client.New
	file, err := os.Open("x-ray.png")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	_, err = c.Send(context.Background(), client.Outgoing{
		Recipient:  "bob@example.com",
		Attachment: &client.Upload{Name: "x-ray.png", Content: file},
		TTL:        60,        // minutes
		DOR:        new(true), // delete on read
	})
	if err != nil {
		log.Fatal(err)
	}
}

// Each event is handled at least once: it is acknowledged when the loop comes
// back for the next one, and comes again if the program ends before that.
func ExampleClient_Events() {
	var c *client.Client // of client.New
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for event, err := range c.Events(ctx, client.StreamOptions{Acknowledge: true}) {
		if err != nil {
			log.Print(err) // the context's, or a key that was revoked: nothing more comes
			return
		}
		switch event.Kind {
		case client.EventMessage, client.EventGroupMessage:
			m, err := event.Message()
			if err != nil {
				log.Print(err)
				return
			}
			fmt.Printf("%s: %s\n", m.SenderToken, m.Body)
		case client.EventStatus:
			s, err := event.Status()
			if err != nil {
				log.Print(err)
				return
			}
			fmt.Println(s.ClientID, s.Status)
		}
	}
}

// Without a stream, a program asks for what there is, and waits a while for it.
func ExampleClient_Poll() {
	var c *client.Client // of client.New
	ctx := context.Background()
	events, err := c.Poll(ctx, client.PollOptions{Limit: 100})
	if err != nil {
		log.Fatal(err)
	}
	var done []string
	for _, event := range events {
		fmt.Println(event.Kind)
		done = append(done, event.ID)
	}
	if err := c.Ack(ctx, done...); err != nil {
		log.Fatal(err)
	}
}

// The way in which the interface adds a person to an organization.
func ExampleClient_CreateUser() {
	var c *client.Client // of client.New, with an administrative key
	ctx := context.Background()
	const organization = "ORGANIZATION_KEY"
	user, err := c.LookupUser(ctx, "ann@example.com")
	switch {
	case err == nil:
		_, err = c.AddToOrganization(ctx, user.Token, organization, client.Membership{Title: "Nurse"})
	case errors.Is(err, client.ErrNotFound):
		_, err = c.CreateUser(ctx, organization,
			client.NewUser{Emails: []string{"ann@example.com"}, DisplayName: "Ann", Title: "Nurse"})
	}
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleClient_OpenAttachment() {
	var c *client.Client // of client.New
	download, err := c.OpenAttachment(context.Background(), "MESSAGE_ID")
	if err != nil {
		log.Fatal(err)
	}
	defer download.Close()
	file, err := os.Create("attachment")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := io.Copy(file, download); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}
}

func ExampleError() {
	err := fmt.Errorf("send: %w", &client.Error{Status: 429, Code: "daily_limit", Message: "No more messages today."})
	fmt.Println(errors.Is(err, client.ErrDailyLimit), errors.Is(err, client.ErrTooMany),
		errors.Is(err, client.ErrNotFound))
	if refusal, ok := errors.AsType[*client.Error](err); ok {
		fmt.Println(refusal.Message)
	}
	// Output:
	// true true false
	// No more messages today.
}
