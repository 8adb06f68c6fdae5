package dev.wheelhouse.apiserver.rest;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How the answer is to look.
 *
 * @param form the object itself, a Table, or its metadata alone
 * @param yaml YAML instead of JSON
 */
record Accept(Form form, boolean yaml, boolean pretty) {
    enum Form {
        OBJECT, TABLE, PARTIAL
    }

    static final Accept JSON = new Accept(Form.OBJECT, false, false);

    String contentType() {
        return yaml ? "application/yaml" : "application/json";
    }

    /**
     * The first clause of an Accept header that can be served.
     *
     * @throws ApiException 406 if none can
     */
    static Accept parse(String header, Query query) {
        boolean pretty = query.flag("pretty");
        if (header.isBlank()) {
            return new Accept(Form.OBJECT, false, pretty);
        }
        for (String clause : header.split(",")) {
            String[] parts = clause.split(";");
            String media = parts[0].strip().toLowerCase(Locale.ROOT);
            Map<String, String> parameters = new HashMap<>();
            for (int i = 1; i < parts.length; i++) {
                int eq = parts[i].indexOf('=');
                if (eq > 0) {
                    parameters.put(parts[i].substring(0, eq).strip(), parts[i].substring(eq + 1).strip());
                }
            }
            boolean json = media.equals("application/json") || media.equals("*/*") || media.equals("application/*");
            boolean yaml = media.equals("application/yaml");
            if (!json && !yaml) {
                continue;
            }
            String as = parameters.getOrDefault("as", "");
            boolean meta = parameters.getOrDefault("g", "meta.k8s.io").equals("meta.k8s.io")
                    && parameters.getOrDefault("v", "v1").equals("v1");
            if (as.isEmpty()) {
                return new Accept(Form.OBJECT, yaml, pretty);
            } else if (as.equals("Table") && meta) {
                return new Accept(Form.TABLE, yaml, pretty);
            } else if ((as.equals("PartialObjectMetadata") || as.equals("PartialObjectMetadataList")) && meta) {
                return new Accept(Form.PARTIAL, yaml, pretty);
            }
        }
        throw Errors.notAcceptable();
    }
}
