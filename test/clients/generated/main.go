// Works with the client of oapi-codegen, the package `clients/ploidy`. ADDRESS, KEY, ACCOUNT and RECORDS are in the environment.
package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"

	"clients/ploidy"
)

// check ends the program unless a call succeeded with its status.
func check(name string, err error, status, want int, body []byte) {
	if err != nil || status != want {
		fmt.Fprintf(os.Stderr, "%s: %d, %v: %s\n", name, status, err, body)
		os.Exit(1)
	}
}

// require ends the program unless a condition holds.
func require(holds bool, name string) {
	if !holds {
		fmt.Fprintln(os.Stderr, name)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	account := os.Getenv("ACCOUNT")
	signedIn := ploidy.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))
		return nil
	})
	client, err := ploidy.NewClientWithResponses(os.Getenv("ADDRESS"), signedIn)
	check("client", err, 0, 0, nil)
	stranger, err := ploidy.NewClientWithResponses(os.Getenv("ADDRESS"))
	check("stranger", err, 0, 0, nil)

	version, err := stranger.GetVersionWithResponse(ctx)
	check("version", err, version.StatusCode(), 200, version.Body)
	unknown, err := stranger.GetMeWithResponse(ctx)
	check("no credential", err, unknown.StatusCode(), 401, unknown.Body)
	require(unknown.JSON401.Code == "UNAUTHENTICATED", "code of 401")
	me, err := client.GetMeWithResponse(ctx)
	check("me", err, me.StatusCode(), 200, me.Body)
	require(*me.JSON200.Profile.Email != "", "e-mail address")
	accounts, err := client.ListAccountsWithResponse(ctx)
	check("accounts", err, accounts.StatusCode(), 200, accounts.Body)

	body := ploidy.CreateProjectBody{Name: "Go"}
	made, err := client.CreateProjectWithResponse(ctx, &ploidy.CreateProjectParams{ServiceAccount: account}, body)
	check("project", err, made.StatusCode(), 200, made.Body)
	project := made.JSON200.Id
	description := "Changed"
	changed, err := client.UpdateProjectWithResponse(ctx, project, ploidy.UpdateProjectBody{Description: &description})
	check("change", err, changed.StatusCode(), 200, changed.Body)
	require(*changed.JSON200.Description == description, "description")

	content, err := os.ReadFile(os.Getenv("RECORDS"))
	check("records", err, 0, 0, nil)
	file := ploidy.CreateFileBody{Name: "records/p.ndjson", DatasetId: project}
	upload, err := client.CreateFileWithResponse(ctx, &ploidy.CreateFileParams{ServiceAccount: account}, file)
	check("file", err, upload.StatusCode(), 200, upload.Body)
	address, err := url.Parse(upload.JSON200.UploadUrl)
	check("address", err, 0, 0, nil)
	signed := func(name string) *string {
		if value := address.Query().Get(name); value != "" {
			return &value
		}
		return nil
	}
	params := &ploidy.TransferUploadParams{Expires: signed("expires"), Signature: signed("signature"), By: signed("by")}
	stored, err := stranger.TransferUploadWithBodyWithResponse(
		ctx, path.Base(address.Path), params, "application/octet-stream", bytes.NewReader(content))
	check("upload", err, stored.StatusCode(), 200, stored.Body)
	require(stored.JSON200.Size == len(content), "size")
	files, err := client.ListFilesWithResponse(ctx, &ploidy.ListFilesParams{ServiceAccount: account, DatasetId: &project})
	check("files", err, files.StatusCode(), 200, files.Body)
	require(files.JSON200.Items[0].Name == file.Name, "name of the file")

	started, err := client.StartIngestionWithResponse(ctx, nil, ploidy.StartIngestionBody{DatasetId: project, FileId: upload.JSON200.Id})
	check("ingestion", err, started.StatusCode(), 202, started.Body)
	state := string(started.JSON202.State)
	for tries := 0; tries < 600 && (state == "queued" || state == "running"); tries++ {
		time.Sleep(100 * time.Millisecond)
		read, err := client.GetIngestionWithResponse(ctx, started.JSON202.Id)
		check("state of the ingestion", err, read.StatusCode(), 200, read.Body)
		state = string(read.JSON200.State)
	}
	require(state == "succeeded", "ingestion: "+state)
	tables, err := client.ListTablesWithResponse(ctx, &ploidy.ListTablesParams{DatasetId: project})
	check("tables", err, tables.StatusCode(), 200, tables.Body)

	sql := "SELECT patient_id FROM patient ORDER BY patient_id"
	asked, err := client.StartQueryWithResponse(ctx, nil, ploidy.StartQueryBody{Query: sql, DatasetId: project, OutputFileName: "result.csv"})
	check("query", err, asked.StatusCode(), 200, asked.Body)
	query, err := asked.JSON200.AsStartedQuery()
	check("started query", err, 0, 0, nil)
	var result *ploidy.Query
	for tries := 0; tries < 600 && (result == nil || result.State == "running"); tries++ {
		time.Sleep(100 * time.Millisecond)
		read, err := client.GetQueryWithResponse(ctx, query.QueryId)
		check("state of the query", err, read.StatusCode(), 200, read.Body)
		result = read.JSON200
	}
	require(result.State == "succeeded", "query")
	csv, err := client.GetFileWithResponse(ctx, *result.ResultFileId, &ploidy.GetFileParams{ServiceAccount: account})
	check("result", err, csv.StatusCode(), 200, csv.Body)
	lines := strings.Split(strings.TrimSpace(string(csv.Body)), "\n")
	require(len(lines) == *result.RowCount+1, "rows of the result")
	rows, err := client.QueryRowsWithResponse(ctx, ploidy.QueryRowsBody{Query: sql, DatasetId: project})
	check("rows", err, rows.StatusCode(), 200, rows.Body)
	patient := rows.JSON200.Rows[0][0].(string)
	require(patient == strings.TrimSpace(lines[1]), "first patient")

	subjects := []string{patient}
	cohort, err := client.CreateCohortWithResponse(ctx, &ploidy.CreateCohortParams{ServiceAccount: account},
		ploidy.CreateCohortBody{Name: "Some", OwnerProject: project, SubjectIds: &subjects})
	check("cohort", err, cohort.StatusCode(), 200, cohort.Body)
	require(cohort.JSON200.ResultCount == 1, "patients of the cohort")
	group, err := client.CreateGroupWithResponse(ctx, &ploidy.CreateGroupParams{ServiceAccount: account}, ploidy.CreateGroupBody{Name: "Go"})
	check("group", err, group.StatusCode(), 200, group.Body)

	var comparison ploidy.Comparison
	includes := ploidy.ValueComparison{Comparison: "includes", Value: group.JSON200.Id}
	check("comparison", comparison.FromValueComparison(includes), 0, 0, nil)
	var rules ploidy.Policy_Rules_AdditionalProperties
	check("rules", rules.FromRules(ploidy.Rules{{UserGroups: &comparison}}), 0, 0, nil)
	policy, err := client.CreatePolicyWithResponse(ctx, &ploidy.CreatePolicyParams{ServiceAccount: account}, ploidy.CreatePolicyBody{
		Name:   "Go",
		Policy: ploidy.Policy{Rules: map[string]ploidy.Policy_Rules_AdditionalProperties{"readMaskedData": rules}},
	})
	check("policy", err, policy.StatusCode(), 200, policy.Body)
	require(policy.JSON200.Groups[0].Name == "Go", "group of the policy")
	gone, err := client.DeletePolicyWithResponse(ctx, policy.JSON200.Id, &ploidy.DeletePolicyParams{ServiceAccount: account})
	check("removal of the policy", err, gone.StatusCode(), 204, gone.Body)
	events, err := client.ListAuditEventsWithResponse(ctx, &ploidy.ListAuditEventsParams{ServiceAccount: account})
	check("audit", err, events.StatusCode(), 200, events.Body)
	force := true
	removed, err := client.DeleteProjectWithResponse(ctx, project, &ploidy.DeleteProjectParams{Force: &force})
	check("removal", err, removed.StatusCode(), 204, removed.Body)
}
