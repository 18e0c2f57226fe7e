"""Measurements by hand: nothing here runs in the flow or is measured by time in a test."""
