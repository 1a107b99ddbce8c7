// Changes a workspace with the client library of the field, as it is configured by default, several times.
// Usage: patience <address> <token> <workspace id> <seconds between changes> <changes>. Prints for each the seconds it took, and
// how often the library repeated it.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	tfe "github.com/hashicorp/go-tfe"
)

func main() {
	between, err := strconv.Atoi(os.Args[4])
	changes, err2 := strconv.Atoi(os.Args[5])
	if err != nil || err2 != nil {
		panic("numbers are needed")
	}
	var failed atomic.Bool
	var waiting sync.WaitGroup
	for index := range changes {
		waiting.Add(1)
		go func() {
			defer waiting.Done()
			time.Sleep(time.Duration(index*between) * time.Second)
			var repeated atomic.Int32
			begun := time.Now()
			client, err := tfe.NewClient(&tfe.Config{
				Address: os.Args[1],
				Token:   os.Args[2],
				// It only counts: what is repeated, and when, stays the library's decision.
				RetryLogHook: func(attempt int, _ *http.Response) { repeated.Add(1) },
			})
			if err == nil {
				_, err = client.Workspaces.UpdateByID(context.Background(), os.Args[3], tfe.WorkspaceUpdateOptions{
					Description: tfe.String(fmt.Sprintf("change %d %s", index, strings.Repeat(".", 900))),
				})
			}
			if err != nil {
				failed.Store(true)
				fmt.Printf("FAILED after %.1f s and %d repetitions: %v\n", time.Since(begun).Seconds(), repeated.Load(), err)
				return
			}
			fmt.Printf("ok after %.1f s and %d repetitions\n", time.Since(begun).Seconds(), repeated.Load())
		}()
	}
	waiting.Wait()
	if failed.Load() {
		os.Exit(1)
	}
}
