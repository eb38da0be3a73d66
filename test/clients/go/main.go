// Asks a started gateway through the client that oapi-codegen made from openapi.json.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"svc.test/client/api"
)

func main() {
	withKey := api.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("SVC_KEY"))
		return nil
	})
	client, err := api.NewClientWithResponses(os.Getenv("SVC_URL"), withKey)
	check(err)
	var content api.ChatMessage_Content
	check(content.FromChatMessageContent0("hello"))
	request := api.CreateRun{Messages: []api.ChatMessage{{Role: "user", Content: &content}}}
	created, err := client.CreateRunWithResponse(context.Background(), nil, request)
	check(err)
	refused, err := client.GetRunWithResponse(context.Background(), "00000000-0000-7000-8000-000000000000")
	check(err)
	fmt.Println(created.JSON200.Status, created.JSON200.Response, refused.JSON404.Code)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
