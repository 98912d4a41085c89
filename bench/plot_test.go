package bench

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// plot is a picture of lines over a logarithmic axis. It is drawn as SVG by hand:
// a page of documentation needs no more, and a diff shows what changed.
type plot struct {
	title  string
	x, y   string // what the axes are
	series []series
}

// series is one line, with a bar at each point from the least to the most that was
// measured.
type series struct {
	name   string
	points []point
}

type point struct {
	x float64
	y spread
}

// The picture's measures, in its own units.
const (
	width, height           = 720.0, 400.0
	left, right             = 70.0, 190.0 // margins; the names of the lines are at the right
	top, bottom             = 40.0, 50.0
	plotRight, plotBottom   = width - right, height - bottom
	plotWidth, plotHeight   = plotRight - left, plotBottom - top
	lineSpacing, legendLeft = 20.0, plotRight + 16
)

// colours can be told apart by those who see fewer (Okabe and Ito), and dashes by
// everybody.
var (
	colours = []string{"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"}
	dashes  = []string{"none", "6 3", "2 3", "8 3 2 3", "none", "6 3", "2 3"}
)

// svg draws the plot.
func (p *plot) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+
		"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(&b, `<text x="%g" y="24" font-size="15">%s</text>`+"\n", left, escaped(p.title))
	least, most, highest := p.bounds()
	step := niceStep(highest / 5)
	ceiling := math.Ceil(highest/step) * step
	at := func(x float64) float64 {
		if most == least {
			return left + plotWidth/2
		}
		return left + plotWidth*(math.Log(x)-math.Log(least))/(math.Log(most)-math.Log(least))
	}
	up := func(y float64) float64 { return plotBottom - plotHeight*y/ceiling }
	for y := 0.0; y <= ceiling*1.0001; y += step {
		fmt.Fprintf(&b, `<line x1="%g" y1="%.1f" x2="%g" y2="%.1f" stroke="#ddd"/>`, left, up(y), plotRight, up(y))
		fmt.Fprintf(&b, `<text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n", left-6, up(y)+4, grouped(y))
	}
	for _, x := range p.ticks() {
		fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="middle">%s</text>`+"\n", at(x), plotBottom+18, grouped(x))
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="middle">%s</text>`+"\n", left+plotWidth/2, height-12, escaped(p.x))
	fmt.Fprintf(&b, `<text transform="translate(16 %g) rotate(-90)" text-anchor="middle">%s</text>`+"\n", top+plotHeight/2,
		escaped(p.y))
	for i, s := range p.series {
		colour, dash := colours[i%len(colours)], dashes[i%len(dashes)]
		var path []string
		for _, point := range s.points {
			x, y := at(point.x), up(point.y.median)
			path = append(path, fmt.Sprintf("%.1f,%.1f", x, y))
			fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`, x, up(point.y.least), x,
				up(point.y.most), colour)
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, colour)
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n",
			strings.Join(path, " "), colour, dash)
		y := top + 10 + lineSpacing*float64(i)
		fmt.Fprintf(&b, `<line x1="%g" y1="%g" x2="%g" y2="%g" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`,
			legendLeft, y, legendLeft+24, y, colour, dash)
		fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`+"\n", legendLeft+30, y+4, escaped(s.name))
	}
	return b.String() + "</svg>\n"
}

// bounds returns the least and the greatest x, and the greatest y.
func (p *plot) bounds() (least, most, highest float64) {
	least = math.Inf(1)
	for _, s := range p.series {
		for _, point := range s.points {
			least, most, highest = min(least, point.x), max(most, point.x), max(highest, point.y.most)
		}
	}
	if highest == 0 {
		highest = 1
	}
	return least, most, highest
}

// ticks are the x of the longest line.
func (p *plot) ticks() (xs []float64) {
	for _, s := range p.series {
		if len(s.points) > len(xs) {
			xs = xs[:0]
			for _, point := range s.points {
				xs = append(xs, point.x)
			}
		}
	}
	return xs
}

// niceStep rounds up to 1, 2 or 5 times a power of ten.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, digit := range []float64{1, 2, 5} {
		if digit*power >= x*0.9999 {
			return digit * power
		}
	}
	return 10 * power
}

// grouped writes a number with commas between thousands.
func grouped(x float64) string {
	whole, rest, fraction := strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction {
		return whole + "." + rest
	}
	return whole
}

func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes all
	return b.String()
}
