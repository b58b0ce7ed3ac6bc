"""Games of TripleA's Axis & Allies 1940 family as titles of the series `axis_allies_1940`."""
