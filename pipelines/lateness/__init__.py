"""What another lateness would have cost: `windrow whatif`. From one pass over the events, for every lateness."""
