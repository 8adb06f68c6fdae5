package dev.wheelhouse.simulation;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.controllers.certificates.RootCaPublisher;
import dev.wheelhouse.controllers.rbac.RoleAggregator;
import dev.wheelhouse.controllers.serviceaccount.ServiceAccountController;
import dev.wheelhouse.controllers.serviceaccount.TokenController;
import dev.wheelhouse.world.Authorities;

/**
 * A user's service accounts with token Secrets, and ClusterRoles of which one aggregates the others. The user also
 * deletes the default account, and changes and deletes the published certificates.
 */
final class IdentityWorkload extends Workload {
    private static final String ROOT_CA = "kube-root-ca.crt";
    private static final int ACCOUNTS = 2;
    private static final int SECRETS = 3;
    private static final int ROLES = 3;

    IdentityWorkload(String name, Random random, boolean disrupted) {
        super(name);
        needs(ServiceAccountController.NAME, TokenController.NAME, RootCaPublisher.NAME, RoleAggregator.NAME);
        creates("serviceaccount", "secret", "configmap");
        steps.add(Step.create("clusterrole", """
                {"metadata": {"name": "%1$s-all"}, "aggregationRule": {"clusterRoleSelectors":
                 [{"matchLabels": {"to": "%1$s"}}]}}""".formatted(name), "creates an aggregated role"));
        for (int i = 0; i < ACCOUNTS; i++) {
            account(i);
        }
        int changes = 4 + random.nextInt(7);
        for (int i = 0; i < changes; i++) {
            change(random);
        }
    }

    private void change(Random random) {
        int account = random.nextInt(ACCOUNTS);
        int secret = random.nextInt(SECRETS);
        int role = random.nextInt(ROLES);
        switch (random.nextInt(8)) {
            case 0 -> account(account);
            case 1 -> steps.add(Step.remove("serviceaccount", name + "-" + account));
            case 2, 3 -> secret(secret, account);
            case 4 -> steps.add(Step.remove("secret", name + "-token-" + secret));
            case 5 -> role(role, random.nextInt(4), random.nextBoolean());
            case 6 -> steps.add(Step.remove("serviceaccount", "default"));
            default -> {
                if (random.nextBoolean()) {
                    steps.add(Step.remove("configmap", ROOT_CA));
                } else {
                    steps.add(Step.patch("configmap", ROOT_CA, "{\"data\": {\"ca.crt\": \"" + random.nextInt() + "\"}}",
                            "changes the published certificates"));
                }
            }
        }
    }

    private void account(int number) {
        String which = name + "-" + number;
        steps.add(Step.once("serviceaccount", which, "{\"metadata\": {\"name\": \"" + which + "\"}}"));
    }

    private void secret(int number, int account) {
        String which = name + "-token-" + number;
        steps.add(Step.once("secret", which, """
                {"metadata": {"name": "%s", "annotations": {"kubernetes.io/service-account.name": "%s-%d"}},
                 "type": "kubernetes.io/service-account-token"}""".formatted(which, name, account)));
    }

    private void role(int number, int resource, boolean selected) {
        String which = name + "-part-" + number;
        String body = """
                {"metadata": {"name": "%s", "labels": {"to": "%s"}}, "rules":
                 [{"verbs": ["get"], "apiGroups": ["example.com"], "resources": ["r%d"]}]}""".formatted(which,
                selected ? name : "nobody", resource);
        steps.add(Step.write("clusterrole", which, body,
                "writes the role " + which + ": " + body.replaceAll("\\s+", " ")));
    }

    @Override
    public List<Invariant> invariants(Truth truth, RunHistory history) {
        return List.of(new TokenInvariants(truth));
    }

    /** {@inheritDoc} Everything that the controllers make is there, and nothing that they delete. */
    @Override
    public boolean isSeen(Api api) {
        JsonNode published = api.find("configmap", ROOT_CA);
        return api.find("serviceaccount", "default") != null && published != null
                && Json.text(published, "data", "ca.crt").equals(Authorities.ROOT)
                && tokens(api).stream().allMatch(secret -> isFilled(api, secret)) && rules(api).equals(wanted(api));
    }

    private List<JsonNode> tokens(Api api) {
        return api.list("secret").stream().filter(s -> ObjectFields.name(s).startsWith(name + "-token-")).toList();
    }

    private static boolean isFilled(Api api, JsonNode secret) {
        JsonNode annotations = secret.path("metadata").path("annotations");
        JsonNode account = api.find("serviceaccount",
                annotations.path("kubernetes.io/service-account.name").asString(""));
        String ca = Base64.getEncoder().encodeToString(Authorities.ROOT.getBytes(StandardCharsets.UTF_8));
        return account != null && ObjectFields.text(account.path("metadata"), "uid")
                .equals(annotations.path("kubernetes.io/service-account.uid").asString(""))
                && secret.path("data").has("token") && Json.text(secret, "data", "ca.crt").equals(ca);
    }

    private Set<String> rules(Api api) {
        return resources(api.find("clusterrole", name + "-all"));
    }

    private Set<String> wanted(Api api) {
        Set<String> all = new TreeSet<>();
        api.list("clusterrole").stream()
                .filter(r -> r.path("metadata").path("labels").path("to").asString("").equals(name))
                .forEach(r -> all.addAll(resources(r)));
        return all;
    }

    private static Set<String> resources(@Nullable JsonNode role) {
        Set<String> resources = new TreeSet<>();
        if (role != null) {
            role.path("rules").forEach(rule -> rule.path("resources").forEach(r -> resources.add(r.asString())));
        }
        return resources;
    }

    /** {@inheritDoc} A manager that crashes forgets the references that it wanted to remove, as in upstream. */
    @Override
    public Map<String, String> state(Api api) {
        Map<String, String> lines = new TreeMap<>();
        lines.put("accounts", api.list("serviceaccount").stream().map(ObjectFields::name).sorted().toList().toString());
        lines.put("tokens", tokens(api).stream().map(ObjectFields::name).sorted().toList().toString());
        lines.put("rules", rules(api).toString());
        return lines;
    }
}
