package dev.wheelhouse.apiserver.rest;

import java.lang.management.ManagementFactory;

import org.junit.jupiter.api.Test;

import com.sun.management.ThreadMXBean;

import static org.assertj.core.api.Assertions.assertThat;

/** The cost of writing a definition is proportional to its own size, however many definitions its group has. */
class DefinitionCostTest {
    private static final String CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final int DEFINITIONS = 40;
    private static final int SIZE = 50_000;
    /** The bytes that the creation or deletion of one definition may allocate, as a multiple of its size. */
    private static final long COPIES = 40;

    private final RestClient server = new RestClient();

    private void create(int number) {
        server.post(CRDS, """
                {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                 "metadata": {"name": "t%1$ds.example.com"},
                 "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "t%1$ds", "kind": "T%1$d"},
                  "versions": [{"name": "v1", "served": true, "storage": true,
                   "schema": {"openAPIV3Schema": {"type": "object", "description": "%2$s"}}}]}}"""
                .formatted(number, "x".repeat(SIZE)));
        assertThat(server.last.code()).isEqualTo(201);
    }

    private static long allocated(Runnable work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void theCreationAndTheDeletionOfADefinitionDoNotReadAllOthers() {
        for (int i = 0; i < DEFINITIONS; i++) {
            create(i);
        }
        assertThat(allocated(() -> create(DEFINITIONS))).as("bytes for a creation").isLessThan(COPIES * SIZE);
        assertThat(allocated(() -> server.delete(CRDS + "/t1s.example.com"))).as("bytes for a deletion")
                .isLessThan(COPIES * SIZE);
        assertThat(server.last.code()).isEqualTo(200);
    }

    private long created(String name, String versions) {
        return allocated(() -> {
            server.post(CRDS, """
                    {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
                     "metadata": {"name": "%1$ss.example.com"},
                     "spec": {"group": "example.com", "scope": "Namespaced",
                      "names": {"plural": "%1$ss", "kind": "%1$s"}, "versions": [%2$s]}}""".formatted(name, versions));
            assertThat(server.last.code()).as(name).isEqualTo(201);
        });
    }

    @Test
    void thePathOfDeepPropertiesIsNotWrittenOutForEachOfThem() {
        StringBuilder schema = new StringBuilder();
        for (int i = 0; i < 400; i++) {
            schema.append(i == 0 ? "" : ",").append("\"p").append(i).append("\": {\"type\": \"string\"}");
        }
        String nested = "{\"type\": \"object\", \"properties\": {" + schema + "}}";
        for (int i = 0; i < 4; i++) {
            nested = "{\"type\": \"object\", \"properties\": {\"" + "n".repeat(40_000) + i + "\": " + nested + "}}";
        }
        String version = "{\"name\": \"v1\", \"served\": true, \"storage\": true, \"schema\": "
                + "{\"openAPIV3Schema\": " + nested + "}}";
        assertThat(created("deep", version)).isLessThan(COPIES * version.length());
    }

    @Test
    void theVersionsOfADefinitionAreServedTogether() {
        long few = created("few", versions(100));
        long many = created("many", versions(400));
        assertThat(many).isLessThan(6 * few);
        long deleted = allocated(() -> server.delete(CRDS + "/manys.example.com"));
        assertThat(server.last.code()).isEqualTo(200);
        assertThat(deleted).isLessThan(many);
    }

    private static String versions(int count) {
        StringBuilder versions = new StringBuilder();
        for (int i = 1; i <= count; i++) {
            versions.append(i == 1 ? "" : ",").append("{\"name\": \"v").append(i)
                    .append("\", \"served\": true, \"storage\": ").append(i == 1)
                    .append(", \"schema\": {\"openAPIV3Schema\": {\"type\": \"object\"}}}");
        }
        return versions.toString();
    }
}
