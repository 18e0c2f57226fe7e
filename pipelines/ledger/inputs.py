"""What a run read, as the ledger keeps it: a digest of each arrival day of silver and of the day's pass ticks."""

from datetime import date

from pipelines.lake.lake import Lake


def digests(lake: Lake, partitions: str) -> dict[date, dict[str, str]]:
    """Digests of the silver rows and of the pass ticks of each arrival day, as `partitions_<stream>` has them now."""
    rows = lake.read(partitions, columns=["arrival_date", "silver_digest", "pass_digest"])
    return {
        row["arrival_date"]: {"silver": row["silver_digest"], "pass": row["pass_digest"]} for row in rows.to_pylist()
    }


def read_inputs(digests_now: dict[date, dict[str, str]], first: date, last: date) -> dict:
    """What the ledger keeps of a run that read the arrival days from `first` to `last`, both included."""
    return {
        "first_arrival_day": first.isoformat(),
        "last_arrival_day": last.isoformat(),
        "days": {day.isoformat(): digests_now[day] for day in sorted(digests_now) if first <= day <= last},
    }
