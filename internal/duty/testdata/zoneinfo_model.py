"""Works out shifts with Python's zoneinfo: the model that agreement_test.go compares rotas with.

It reads a list of rotas as JSON, and writes for each the shifts of its span. The only argument is the
directory of the time zone data.
"""
import bisect
import json
import sys
import zoneinfo
from datetime import datetime, timedelta, timezone

zoneinfo.reset_tzpath([sys.argv[1]])
UTC = timezone.utc


def at(seconds):
    return datetime.fromtimestamp(seconds, UTC)


def naive(moment, zone):
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


def first(reading, zone, since):
    """The first moment since another at which the clock shows a reading, or has left it out."""
    early, late = (reading.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    for moment in (early, late):
        if naive(moment, zone) == reading and moment >= since:
            return moment
    low, high = min(early, late), max(early, late)
    while high - low > timedelta(seconds=1):  # low shows less, high shows more
        middle = at((int(low.timestamp()) + int(high.timestamp())) // 2)
        if naive(middle, zone) < reading:
            low = middle
        else:
            high = middle
    return high


class Rota:
    def __init__(self, asked):
        self.zone = zoneinfo.ZoneInfo(asked["zone"])
        self.span = asked["from"], asked["to"]
        self.accounts, self.hours = asked["accounts"], asked["hours"]
        self.start = asked["start"]
        self.overrides = asked["overrides"]
        self.begun = []  # of the turns up to the end of the span

        if self.hours:
            start, turn = at(self.start), timedelta(hours=self.hours)
            shown = naive(start, self.zone)
            self.begun.append(self.start)
            while self.begun[-1] < self.span[1]:
                moment = first(shown + len(self.begun) * turn, self.zone, start)
                self.begun.append(int(moment.timestamp()))

    def on_duty(self, moment):
        for place in reversed(range(len(self.overrides))):
            begin, end, account, _ = self.overrides[place]
            if begin <= moment < end:
                return account, 1, place
        turns = bisect.bisect_right(self.begun, moment)
        if turns == 0:
            return 0, 0, -1
        return self.accounts[(turns - 1) % len(self.accounts)], 0, turns - 1

    def shifts(self):
        begin, end = self.span
        edges = {begin, end, *self.begun}
        for override in self.overrides:
            edges.update(override[:2])
        edges = sorted(edge for edge in edges if begin <= edge <= end)
        out, last = [], None
        for edge, following in zip(edges, edges[1:]):
            by = self.on_duty(edge)
            if by == last and by[0]:
                out[-1][1] = following
            elif by[0]:
                out.append([edge, following, by[0], by[1]])
            last = by
        return out


json.dump([Rota(asked).shifts() for asked in json.load(sys.stdin)], sys.stdout)
