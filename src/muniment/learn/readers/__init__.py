"""One file a format. Each has `matches(path)` and `read(page)`; `extract.READERS` lists them."""
