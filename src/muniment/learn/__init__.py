"""Turn a repository's own files into statements with byte-exact evidence, without a language model.

- `extract.read_file(path, data)` is the only entrance; everything else here serves it.
- Nothing here touches a disk, a clock or a network: bytes come in, values go out.

Deciding which statements become proposals is left to the use case that learns.
"""
