package dev.wheelhouse.fuzz;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All targets, by name. Each lives in the package whose reader it runs. */
final class FuzzTargets {
    private static final Map<String, String> CLASSES = new TreeMap<>(Map.ofEntries(
            Map.entry("watch", "client.decode.WatchTarget"),
            Map.entry("list", "client.decode.ListTarget"),
            Map.entry("wire", "client.decode.WireTarget"),
            Map.entry("answers", "client.http.AnswersTarget"),
            Map.entry("kubeconfig", "client.http.KubeConfigTarget"),
            Map.entry("manifest", "podconfig.ManifestTarget"),
            Map.entry("request", "apiserver.rest.RequestTarget"),
            Map.entry("credentials", "apiserver.rest.CredentialsTarget"),
            Map.entry("json", "apiserver.rest.JsonTarget"),
            Map.entry("yaml", "apiserver.rest.YamlTarget"),
            Map.entry("protobuf", "apiserver.rest.ProtobufTarget"),
            Map.entry("patch", "apiserver.rest.PatchTarget"),
            Map.entry("selector", "apiserver.rest.SelectorTarget"),
            Map.entry("schema", "apiserver.rest.SchemaTarget"),
            Map.entry("cel", "cel.CelTarget"),
            Map.entry("scalars", "apiserver.validation.ScalarsTarget"),
            Map.entry("secrets", "apiserver.auth.SecretsTarget"),
            Map.entry("record", "apiserver.store.RecordTarget")));
    private FuzzTargets() {}

    static List<String> names() {
        return List.copyOf(CLASSES.keySet());
    }

    static FuzzTarget named(String name) {
        String type = CLASSES.get(name);
        if (type == null) {
            throw new IllegalArgumentException(
                    "there is no fuzz target \"" + name + "\": there are " + CLASSES.keySet());
        }
        try {
            return (FuzzTarget) Class.forName("dev.wheelhouse." + type).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the fuzz target " + name + " cannot be made", e);
        }
    }
}
