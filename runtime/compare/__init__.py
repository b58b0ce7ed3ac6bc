"""What differs between two versions of a title: rules, cells, odds, examples, recorded games, saves, engines."""
