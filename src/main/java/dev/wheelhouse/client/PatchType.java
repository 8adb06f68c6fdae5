package dev.wheelhouse.client;

import dev.wheelhouse.api.PublicApi;

/** The four patch formats, each with its content type. */
@PublicApi
public enum PatchType {
    JSON("application/json-patch+json"), MERGE("application/merge-patch+json"), STRATEGIC_MERGE(
            "application/strategic-merge-patch+json"),
    APPLY("application/apply-patch+yaml");

    private final String contentType;

    PatchType(String contentType) {
        this.contentType = contentType;
    }

    public String contentType() {
        return contentType;
    }
}
