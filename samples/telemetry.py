"""Made-up telemetry in all four layouts of the real one, with the disorder and dirt that the real files have.

    python -m windrow.samples.telemetry --into var/landing --days 7 --last-day 2022-08-22 --seed 1

The same arguments give the same bytes. Files are named as generated:

    telemetry/generated-pods/adservice-5f6585d649-made0_metric.csv.gz   a pod a file; one has a broken clock
    telemetry/generated-messages/d-2022-08-22.csv.gz                    devices, with measured disorder
    telemetry/generated-series/made/cpu_utilization_7578.csv.gz         a series without arrival times
    telemetry/generated-spans/2022-08-22_08_43_trace.csv.gz             bursts of requests, some of them exported twice
    telemetry/delays/generated.txt.gz                                   delays, from which the series get arrivals
"""

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from windrow.samples.writing import days_until, main, write_lines
from windrow.schemas.streams.telemetry import MESSAGE_COLUMNS, POD_METRICS, PODS, SERIES, SPANS

DAY_S = 86_400
SERVICES = ("ad", "cart", "checkout", "currency", "email", "frontend", "payment", "shipping")
PODS_MADE = tuple(f"{service}service-5f6585d649-made{number}" for number, service in enumerate(SERVICES))
BROKEN_CLOCK, AHEAD_S = PODS_MADE[0], 200_000_000
IDLE_SHARE = 0.04  # of measurements: the cell is NaN
# Real pods are read every minute; a tenth of that is enough to look at.
POD_STEP_S, SERIES_STEP_S = 600, 300
DEVICES = 16
TWICE_SHARE = 0.01  # of spans: the next minute's export has them again
SHARES = {"messages": 0.3, "spans": 0.5}
STATION_SERIES = ("cpu_utilization_7578", "speed_t4013")


def write(into: Path, days: int, last_day: date, seed: int = 1, events_per_day: int = 4_000) -> list[Path]:
    """Write all layouts for `days` UTC days up to `last_day` below `into`, and return the files. Nothing arrives later.

    events_per_day: messages and spans; pods and series have a fixed step.
    """
    folder, all_days = into / "telemetry", days_until(last_day, days)
    chance = random.Random(f"{seed} telemetry")
    written = [write_lines(folder / "delays/generated.txt.gz", _delays(chance, days))]
    written += [write_lines(folder / f"generated-pods/{pod}_metric.csv.gz", _pod(chance, pod, all_days))
                for pod in PODS_MADE]  # fmt: skip
    written += [write_lines(folder / f"generated-series/made/{name}.csv.gz", _series(chance, all_days))
                for name in STATION_SERIES]  # fmt: skip
    for day in all_days:
        count = max(2, round(events_per_day * SHARES["messages"]))
        written.append(write_lines(folder / f"generated-messages/d-{day}.csv.gz", _messages(chance, day, count)))
        written += _spans(folder / "generated-spans", chance, day, max(2, round(events_per_day * SHARES["spans"])))
    return written


def _delays(chance: random.Random, days: int) -> Iterator[str]:
    """In ms: about a minute, one in a hundred two minutes and more."""
    for _ in range(days * DAY_S // SERIES_STEP_S):
        yield str(int(chance.lognormvariate(11.7, 0.1)) if chance.random() > 0.01 else int(chance.uniform(12e4, 9e5)))


def _pod(chance: random.Random, pod: str, days: list[date]) -> Iterator[str]:
    yield ",".join(PODS.header)
    for day in days:
        for second in range(30, DAY_S, POD_STEP_S):
            read_at = _at(day, second + chance.uniform(0.2, 0.9))
            sampled_s = int(read_at.timestamp()) + (AHEAD_S if pod == BROKEN_CLOCK else 0)
            values = ("NaN" if chance.random() < IDLE_SHARE else repr(round(chance.uniform(0, 100), 6))
                      for _ in POD_METRICS)  # fmt: skip
            yield f"{read_at:%Y-%m-%d %H:%M:%S.%f}000 +0000 UTC m=+{second}.5,{sampled_s},{pod},{','.join(values)}"


def _series(chance: random.Random, days: list[date]) -> Iterator[str]:
    """Every five minutes until midnight comes too near for the delay; one time stamp comes twice."""
    yield ",".join(SERIES.header)
    for day in days:
        for second in range(0, DAY_S - 1_800, SERIES_STEP_S):
            for _ in range(2 if second == 36_000 else 1):
                yield f"{_at(day, second):%Y-%m-%d %H:%M:%S},{chance.uniform(0, 100):.3f}"


def _messages(chance: random.Random, day: date, count: int) -> Iterator[str]:
    """Messages in the order of their arrival, each device's numbered in the order of its own clock."""
    yield ";".join(f'"{name}"' for name in MESSAGE_COLUMNS)
    first_ms = int(_at(day, 43_200).timestamp() * 1_000)
    sent = [(first_ms + 500 * (number // DEVICES) + chance.randrange(500), number % DEVICES, number // DEVICES)
            for number in range(count)]  # fmt: skip
    arrived = sorted((detected + int(chance.lognormvariate(4.6, 0.5)), detected, device, message)
                     for detected, device, message in sent)  # fmt: skip
    for received, detected, device, message in arrived:
        name, cells = f"dev_{device}", dict.fromkeys(MESSAGE_COLUMNS, "NA" if message == 0 else "0")
        cells |= {
            "S.Message.received.time.ms": str(received), "S.Device.ID": f'"{name}"', "S.Message.ID": str(message),
            "S.Session.Name": f'"made-{day}"', "S.Client.Detection.Time": str(detected),
            "S.Http.Content.Length": str(chance.randrange(200, 1_500)),
            "A.Duration.round.trip": str(received - detected + chance.randrange(20, 100)),
        }  # fmt: skip
        yield ";".join(cells.values())


def _spans(folder: Path, chance: random.Random, day: date, count: int) -> list[Path]:
    """Two exports of a minute each, in bursts, traces in no order; the second repeats some of the first."""
    minutes = [[_span(chance, int(_at(day, 31_380 + 60 * minute).timestamp())) for _ in range(count // 2)]
               for minute in (0, 1)]  # fmt: skip
    minutes[1] += [line for line in minutes[0] if chance.random() < TWICE_SHARE]
    return [write_lines(folder / f"{day}_08_{44 + minute}_trace.csv.gz", [",".join(SPANS.header), *lines])
            for minute, lines in enumerate(minutes)]  # fmt: skip


def _span(chance: random.Random, minute_s: int) -> str:
    start_ns = (minute_s + chance.randrange(58)) * 10**9 + int(chance.expovariate(20) * 10**9)
    length_ns = min(int(chance.lognormvariate(14.5, 1.5)), 10**9)
    names = f"{chance.getrandbits(128):032x},{chance.getrandbits(64):016x},root,{chance.choice(PODS_MADE)},GET /made"
    return f"{names},{start_ns},{start_ns + length_ns},{length_ns // 1_000}"


def _at(day: date, second: float) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=second)


if __name__ == "__main__":
    main("telemetry", write, "events_per_day", 4_000)
