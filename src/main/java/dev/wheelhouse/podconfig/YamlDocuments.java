package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.runtime.SafeYaml;

/** Reads untrusted YAML, and so JSON, as JSON trees that know their line numbers. Duplicate keys are rejected. */
final class YamlDocuments {
    static final int MAX_BYTES = 10 << 20;

    private YamlDocuments() {}

    record Document(JsonNode json, SafeYaml.Document yaml) {
        /** The line of a path, or of its deepest existing part. The steps are field names and indices. */
        int line(List<Object> path) {
            return yaml.line(path);
        }
    }

    /**
     * The documents of a file, without empty ones.
     * @param location the file or URL, for messages
     */
    static List<Document> read(String location, byte[] bytes) throws ManifestException {
        if (bytes.length > MAX_BYTES) {
            throw refused(location, 0, "it is larger than 10 MiB: split it");
        }
        List<Document> documents = new ArrayList<>();
        try {
            for (Iterator<SafeYaml.Document> each = SafeYaml.documents(bytes); each.hasNext();) {
                SafeYaml.Document document = each.next();
                for (SafeYaml.Duplicate key : document.duplicates()) {
                    // A mapping may replace a value that it takes from another one by a merge.
                    if (!key.merged()) {
                        throw refused(location, key.line(), "the key " + key.key() + " is used twice: remove one");
                    }
                }
                if (document.value() != null) {
                    documents.add(new Document(ModelJson.tree(document.value()), document));
                }
            }
        } catch (SafeYaml.MalformedException e) {
            throw refused(location, e.line(), "it is not YAML or JSON: " + e.problem());
        }
        return documents;
    }

    private static ManifestException refused(String location, int line, String problem) {
        return new ManifestException(new Refusal(location, line, "", problem));
    }
}
