package dev.wheelhouse.apiserver.rest;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;

/** The collections in which fuzzed objects are created, by the kind that their bytes name. */
final class Kinds {
    private static final Pattern KIND = Pattern
            .compile("kind[\"']?:? ?[\"']?([A-Z][A-Za-z]+)|[\\n\\f\\x0b\\x12].?([A-Z][A-Za-z]{2,40})");
    private static final List<ResourceInfo> RESOURCES = ResourceRegistry.builtIn().all();
    private static final int HEAD = 4096;

    private Kinds() {}

    /** A dry-run create request; of a ConfigMap if the bytes name no known kind. */
    static ApiRequest create(byte[] body, String media) {
        String head = new String(body, 0, Math.min(body.length, HEAD), StandardCharsets.ISO_8859_1);
        Matcher matcher = KIND.matcher(head);
        ResourceInfo found = null;
        while (found == null && matcher.find()) {
            String kind = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
            found = RESOURCES.stream().filter(r -> r.type().kind().equals(kind) && r.verbs().contains("create"))
                    .findFirst()
                    .orElse(null);
        }
        ResourceInfo resource = found != null
                ? found
                : RESOURCES.stream().filter(r -> r.type().kind().equals("ConfigMap")).findFirst().orElseThrow();
        String group = resource.type().group();
        String path = (group.isEmpty() ? "/api/" : "/apis/" + group + "/") + resource.type().version()
                + (resource.type().namespaced() ? "/namespaces/default" : "") + "/" + resource.type().plural();
        return ApiRequest.of("POST", path + "?dryRun=All", media, body);
    }
}
