package model

import (
	"net/url"
	"strings"
)

// AvatarBytes is how large an avatar that is given as a file may be.
const AvatarBytes = 2 << 20

// avatarPrefix marks an avatar that is a stored file in an account's or group's
// avatar field; the rest is the identifier of its bytes.
const avatarPrefix = "blob:"

// StoredAvatar returns the identifier of an avatar's bytes; ok is false for an
// avatar that is a URL, or none.
func StoredAvatar(avatar string) (id string, ok bool) { return strings.CutPrefix(avatar, avatarPrefix) }

// ValidAvatarURL accepts an absolute http or https URL, or nothing at all.
func ValidAvatarURL(text *string) error {
	if text == nil || *text == "" {
		return nil
	}
	u, err := url.Parse(*text)
	if err != nil || len(*text) > 2048 || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return Invalidf("avatar_invalid", "avatar", "An avatar is a file, or an http or https URL.")
	}
	return nil
}

// AvatarType tells the type of a picture by its first bytes; empty where it is
// none that may be an avatar.
func AvatarType(head []byte) string {
	starts := func(prefix string) bool { return strings.HasPrefix(string(head), prefix) }
	switch {
	case starts("\x89PNG\r\n\x1a\n"):
		return "image/png"
	case starts("\xff\xd8\xff"):
		return "image/jpeg"
	case starts("GIF87a"), starts("GIF89a"):
		return "image/gif"
	case starts("RIFF") && len(head) >= 12 && string(head[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// FileAvatar is the avatar that is these stored bytes.
func FileAvatar(id BlobID) string { return avatarPrefix + id.String() }
