"""The flow: flow.py is the map, each folder one part of it, docs/flow.md the way through them.

cli ─▶ report, lateness, upkeep ─▶ runs ─▶ ingest, replay, gate ─▶ ledger ─▶ engines ─▶ tables ─▶ delta ─▶ rows
"""

if __name__ == "pipelines":
    from windrow.former_names import take_over

    take_over(__name__)
