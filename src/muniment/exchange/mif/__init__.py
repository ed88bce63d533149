"""MIF 1.0 and OKF: read, validate, write and map bundles of concepts.

- `frontmatter`, `bundle`: bytes to concepts, each problem with file, line and path.
- `schema`: the verdict of the format's JSON Schema, kept apart from what the specification adds (`validate`).
- `project`: markdown to JSON-LD and back; `write`: concepts to files.
- `to_claims`, `from_claims`: concepts to claims and back.

Terms, shapes and the JSON-LD context are those that the format publishes (https://mif-spec.dev); they stand in `data/`.
"""
