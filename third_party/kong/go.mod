module github.com/alecthomas/kong

go 1.26.0
