"""The flow: flow.py is the map, each folder one part of it, docs/flow.md the way through them.

cli ─▶ report, lateness, upkeep ─▶ runs ─▶ ingest, replay, gate ─▶ ledger ─▶ engines ─▶ tables ─▶ delta ─▶ rows
"""
