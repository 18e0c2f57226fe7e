-- What a demo ends with: ten lines and a picture. Each is of the tables that it has just made.
WITH lines AS (
    SELECT 1 AS place, format('bikes      {:,} trips of {:,} days; {:,} records refused, each kept with its reason',
        (SELECT count(*) FROM silver_bikes), (SELECT count(DISTINCT arrival::DATE) FROM silver_bikes),
        (SELECT coalesce(sum(records), 0)::BIGINT FROM quarantine_bikes)) AS line
    UNION ALL SELECT 2, format('cdr        {:,} sessions; {:,} records refused',
        (SELECT count(*) FROM silver_cdr), (SELECT coalesce(sum(records), 0)::BIGINT FROM quarantine_cdr))
    UNION ALL SELECT 3, format('telemetry  {:,} readings; {:,} records refused',
        (SELECT count(*) FROM silver_telemetry),
        (SELECT coalesce(sum(records), 0)::BIGINT FROM quarantine_telemetry))
    UNION ALL SELECT 4, format('gate       {:,} of {:,} checks passed; rows are published only where all do',
        count(*) FILTER (passed), count(*)) FROM verdicts
    UNION ALL SELECT 5, format('answers    {:,} rows on time and {:,} corrections in bikes_demand',
        count(*) FILTER (pane = 'on_time'), count(*) FILTER (pane = 'late')) FROM bikes_demand
    UNION ALL SELECT 6, format('too late   {:,} trips for a window of bikes_demand: they are rows of bikes_demand_late',
        count(*)) FROM bikes_demand_late
    UNION ALL (SELECT 7, format('at first   {} trips from station {} on {}, as known {}',
        trips, start_station_id, strftime(window_start, '%d %B'), strftime(emitted_at, '%d %B %H:%M'))
        FROM bikes_daily ORDER BY max(revision) OVER (PARTITION BY start_station_id, window_start) DESC,
            start_station_id, window_start, revision LIMIT 1)
    UNION ALL (SELECT 8, format('in the end {} trips: {} came late, and each correction is a row', trips, late_events)
        FROM bikes_daily ORDER BY revision DESC, start_station_id, window_start LIMIT 1)
    UNION ALL (SELECT 9, format('busiest    antenna {}-{}: {} sessions from {} to {}', location_area, cell,
        sessions, strftime(window_start, '%d %B %H:%M'), strftime(window_end, '%H:%M'))
        FROM cdr_active_final ORDER BY sessions DESC, location_area, cell, window_start LIMIT 1)
    UNION ALL (SELECT 10, format('changed    {} of {} at {}: {} readings on time, {} in the end', metric, source,
        strftime(window_start, '%H:%M'), readings - late_events, readings)
        FROM telemetry_load_final ORDER BY late_events DESC, source, metric, window_start LIMIT 1)
)
SELECT line AS "what came out" FROM lines ORDER BY place;

-- Trips that were under way in each two hours of the newest day: known at the end of an hour, and later.
WITH hours AS (
    SELECT time_bucket(INTERVAL 2 HOURS, window_start) AS hour, sum(events) AS trips, sum(late_events) AS late
    FROM bikes_in_use_prorated_final
    WHERE window_start::DATE = (SELECT max(window_start::DATE) FROM bikes_in_use_prorated_final)
    GROUP BY ALL
)
SELECT strftime(hour, '%d %b %H:%M') AS "two hours from",
    rpad(repeat('█', (60 * (trips - late) / nullif(max(trips) OVER (), 0))::INT)
        || repeat('░', (60 * late / nullif(max(trips) OVER (), 0))::INT), 62, ' ') AS "trips known on time █, later ░",
    trips - late AS on_time, trips AS in_the_end
FROM hours ORDER BY hour;
