// Payments — Zahlungen
module github.com/acme/payments // moved in 2022

go 1.22.3

toolchain go1.22.5

require (
	github.com/go-chi/chi/v5 v5.0.12
	github.com/jackc/pgx/v5 v5.5.5
	golang.org/x/text v0.15.0 // indirect
)

require github.com/google/uuid v1.6.0

replace github.com/old/thing => ./third_party/thing
