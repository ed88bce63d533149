module github.com/old/thing

go 1.12
