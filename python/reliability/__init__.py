"""Crashes and full disks as a campaign: `make crash`. docs/reliability.md says what is promised and what was found."""
