"""Where a scenario comes from: files, links, typed objects, and variants of one."""
