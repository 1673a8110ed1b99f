"""The sources of a scenario: files, links, typed objects; and variants of one scenario."""
