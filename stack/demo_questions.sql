-- the gate: what was checked, and what passed?
SELECT table_name, why, min(logical_date) AS first_day, max(logical_date) AS last_day,
    count(*) AS checks, count(*) FILTER (passed) AS passed
FROM (SELECT *, CASE
    WHEN logical_date IN ({days}) THEN 'a day of this demo'
    WHEN logical_date IS NULL THEN 'files that an ingest took'
    WHEN table_name LIKE 'silver_%' THEN 'earlier events, read for windows that reach into a day'
    ELSE 'a day that the scheduler began by itself' END AS why FROM verdicts)
GROUP BY ALL ORDER BY table_name, first_day
-- Rows are published only where all checks pass. Days before yours are there since windows reach back to them.

-- bikes: why were records refused?
SELECT reason, sum(records) AS records FROM quarantine_bikes
GROUP BY ALL ORDER BY records DESC
-- Nothing is dropped: what is no event is kept with its line and its reason (docs/streams.md).

-- bikes: what was known when, of the window that was corrected most often?
SELECT window_start, revision, pane, emitted_at, trips, late_events FROM bikes_demand
WHERE (start_station_id, window_start) IN (
    SELECT (start_station_id, window_start) FROM bikes_demand ORDER BY revision DESC, 1 LIMIT 1)
ORDER BY revision LIMIT 6
-- Each row was the answer from emitted_at until the next: trips arrive when the bike is back.

-- bikes: which trips came too late for a window, and by how many minutes?
SELECT start_station_id, start, arrival, windows_missed, late_by // 60000000 AS late_by_minutes
FROM bikes_demand_late ORDER BY late_by DESC LIMIT 3
-- Their windows were final: bikes_demand takes no trip later than a day (allowed_lateness).

-- cdr: which antennas were busiest, in which quarter of an hour?
SELECT location_area, cell, window_start, window_end, sessions, longest_s
FROM cdr_active_final ORDER BY sessions DESC, location_area, cell, window_start LIMIT 5
-- Sessions under way: one that lasts is in every window that it meets.

-- telemetry: where did late readings change most of what was known on time?
SELECT source, metric, window_start, readings - late_events AS known_on_time, readings AS in_the_end
FROM telemetry_load_final ORDER BY late_events DESC, source, metric, window_start LIMIT 5
-- A dashboard at the end of the window would have shown known_on_time.

-- bikes: how long was the day on which New York's clocks went back?
SELECT window_start, window_end, date_diff('hour', window_start, window_end) AS hours,
    count(*) AS stations, sum(trips) AS trips
FROM bikes_daily_final WHERE window_start >= '2018-11-01' GROUP BY ALL ORDER BY window_start
-- Days are New York's: 2018-11-04 began at 04:00 UTC and ended at 05:00, after 25 hours.
