package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.codec.ProtobufTypes;
import dev.wheelhouse.apiserver.codec.ProtobufWriter;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.fuzz.FuzzTarget;
import dev.wheelhouse.fuzz.Trees;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Fuzzes protobuf bodies of dry-run requests. They are accepted or refused. The server accepts its own answer again,
 * and answers the same.
 */
public final class ProtobufTarget implements FuzzTarget {
    private static final Logger DESCRIPTORS = Logger.getLogger("com.google.protobuf.GeneratedMessage");
    private final FuzzedServer server;

    public ProtobufTarget() {
        DESCRIPTORS.setLevel(Level.SEVERE);
        server = new FuzzedServer(false, Map.of());
    }

    @Override
    public void run(byte[] input) {
        ApiRequest request = Kinds.create(input, ProtobufBodies.MEDIA_TYPE);
        ApiResponse.Content made = server.ask(request);
        server.ask(request.withAccept(ProtobufBodies.MEDIA_TYPE));
        ObjectNode tree;
        try {
            tree = ProtobufBodies.read(input);
        } catch (StatusException e) {
            assertThat(e.code()).isIn(400, 415);
            return;
        }
        if (made.code() == 201 && ProtobufTypes.covers(Json.text(tree, "apiVersion"), Json.text(tree, "kind"))) {
            ObjectNode first = JsonTarget.forAnotherTrial(made);
            ApiResponse.Content again = server
                    .ask(Kinds.create(ProtobufWriter.write(first), ProtobufBodies.MEDIA_TYPE));
            assertThat(again.code()).as("%s", new String(again.body(), StandardCharsets.UTF_8)).isEqualTo(201);
            assertThat(Trees.withFloatingNumbers(JsonTarget.forAnotherTrial(again)))
                    .as("what came back, written as protobuf and posted").isEqualTo(Trees.withFloatingNumbers(first));
        }
    }
}
