package dev.wheelhouse.apiserver.auth;

import java.util.List;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.rest.RestServer;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.runtime.Clock;

import static org.assertj.core.api.Assertions.assertThat;

/** The expectations were read from the headers of a real kube-apiserver. */
class FlowSchemasTest {
    private static final String SCHEMAS = "flowschemas.flowcontrol.apiserver.k8s.io";
    private final ObjectStore store = new ObjectStore(Clock.system(), Retention.standard(), Storage.inMemory());

    FlowSchemasTest() {
        new RestServer(store, Clock.system(), new Random(1));
    }

    private String match(String user, String group, RequestInfo about) {
        User sender = new User(user.replaceFirst("^account:", User.SERVICE_ACCOUNT_PREFIX), "",
                List.of(group.replaceFirst("^accounts$", User.SERVICE_ACCOUNTS), User.AUTHENTICATED), Map.of());
        FlowSchemas.Match match = new FlowSchemas(store).match(sender, about);
        return match == null
                ? ""
                : name(SCHEMAS, match.schema()) + " "
                        + name("prioritylevelconfigurations.flowcontrol.apiserver.k8s.io", match.level());
    }

    private String name(String resource, String uid) {
        return store.snapshot(resource).select(Selection.all()).stream()
                .filter(stored -> stored.uid().equals(uid)).map(StoredObject::name).findFirst().orElseThrow();
    }

    @ParameterizedTest
    @CsvSource(
            textBlock = """
                    joe, system:masters, list, '', pods, '', a, exempt exempt
                    joe, dev, list, '', pods, '', a, global-default global-default
                    joe, dev, get, '', pods, log, a, ''
                    joe, dev, watch, '', pods, '', a, global-default global-default
                    system:kube-scheduler, dev, list, '', pods, '', '', kube-scheduler workload-high
                    system:kube-scheduler,dev,get,coordination.k8s.io,leases,'',x,system-leader-election leader-election
                    system:kube-scheduler, dev, list, coordination.k8s.io, leases, '', '', kube-scheduler workload-high
                    system:node:n, system:nodes, patch, '', nodes, status, '', system-node-high node-high
                    system:node:n, system:nodes, list, '', pods, '', '', system-nodes system
                    account:kube-system:a, accounts, list, '', pods, '', a, kube-system-service-accounts workload-high
                    account:kube-systems:a, accounts, list, '', pods, '', a, service-accounts workload-low
                    """)
    void requestsForResourcesMatch(String user, String group, String verb, String apiGroup, String resource,
            String subresource, String namespace, String expected) {
        assertThat(match(user, group, RequestInfo.ofResource(verb, apiGroup, resource, subresource, namespace, "")))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"/healthz, probes exempt", "/readyz/ping, probes exempt", "/healthzz, global-default global-default"})
    void requestsForPathsMatch(String path, String expected) {
        assertThat(match("joe", "dev", RequestInfo.ofPath("get", path))).isEqualTo(expected);
    }

    @Test
    void aStoredSchemaCountsAtOnceByItsPrecedenceIfItsLevelExists() {
        RequestInfo list = RequestInfo.ofResource("list", "", "pods", "", "a", "");
        store.create(SCHEMAS, schema("b", "system"));
        assertThat(match("joe", "dev", list)).isEqualTo("b system");
        store.create(SCHEMAS, schema("a", "missing"));
        assertThat(match("joe", "dev", list)).isEqualTo("b system");
        assertThat(match("ann", "dev", list)).isEqualTo("global-default global-default");
        assertThat(match("joe", "dev", RequestInfo.ofResource("list", "", "nodes", "", "", "")))
                .isEqualTo("global-default global-default");
    }

    private static ObjectNode schema(String name, String level) {
        return (ObjectNode) Json.read("""
                {"metadata": {"name": "NAME", "uid": "uid-NAME"}, "spec": {"matchingPrecedence": 50,
                 "priorityLevelConfiguration": {"name": "LEVEL"}, "rules": [{"subjects": [{"kind": "User",
                 "user": {"name": "joe"}}], "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"],
                 "resources": ["*"], "namespaces": ["*"]}]}]}}""".replace("NAME", name).replace("LEVEL", level));
    }
}
