// Passes requests through the handler of docs/recipes/go.md.
package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
)

type asked struct {
	Method, Path, Address, Type, Agent, Purpose string
	Status                                      int
}

func main() {
	edgeboard := NewEdgeboard(os.Getenv("WORKER"), "demo", os.Getenv("WRITE_TOKEN"))
	var requests []asked
	if err := json.Unmarshal([]byte(os.Getenv("REQUESTS")), &requests); err != nil {
		panic(err)
	}
	for _, each := range requests {
		each := each
		page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", each.Type)
			w.WriteHeader(each.Status)
		})
		request := httptest.NewRequest(each.Method, each.Path, nil)
		request.RemoteAddr = each.Address + ":1234"
		request.Header.Set("User-Agent", each.Agent)
		request.Header.Set("Sec-Purpose", each.Purpose)
		recorder := httptest.NewRecorder()
		CountViews(page, edgeboard).ServeHTTP(recorder, request)
		if recorder.Code != each.Status {
			panic("not passed on")
		}
	}
	edgeboard.Close()
}
