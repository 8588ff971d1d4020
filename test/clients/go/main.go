// Does with the Trino client for Go what programs do. ADDRESS, KEY and PROJECT are in the environment.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	_ "github.com/trinodb/trino-go-client/trino"
)

func main() {
	address, err := url.Parse(os.Getenv("ADDRESS"))
	check(err)
	query := url.Values{"catalog": {"ploidy"}, "schema": {os.Getenv("PROJECT")}, "accessToken": {os.Getenv("KEY")}}
	address.User = url.User("program")
	address.RawQuery = query.Encode()
	db, err := sql.Open("trino", address.String())
	check(err)
	check(db.Ping())

	var count int64
	var text string
	var when time.Time
	row := db.QueryRow("SELECT count(*), ?, DATE '2024-02-29' FROM patient WHERE patient_id <> ?", "it's ? --", "nobody")
	check(row.Scan(&count, &text, &when))
	if count == 0 || text != "it's ? --" || when.Format("2006-01-02") != "2024-02-29" {
		panic(fmt.Sprint(count, text, when))
	}
	if err := db.QueryRow("SELECT nope FROM patient").Scan(&text); err == nil || !strings.Contains(err.Error(), "nope") {
		panic(fmt.Sprint("no error of the column: ", err))
	}

	// A deadline ends the query as well.
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	endless := "SELECT count(*) FROM range(100000000) a(i), range(100000) b(j) WHERE hash(i + j) = 1"
	if err := db.QueryRowContext(ctx, endless).Scan(&count); err == nil {
		panic("the deadline did not end the call")
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
