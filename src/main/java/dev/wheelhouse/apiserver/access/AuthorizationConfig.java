package dev.wheelhouse.apiserver.access;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonProperty;

import dev.wheelhouse.apiserver.auth.Authorizer;
import dev.wheelhouse.apiserver.auth.ConfigFile;
import dev.wheelhouse.apiserver.auth.OtherParties;
import dev.wheelhouse.apiserver.webhook.RemoteService;
import dev.wheelhouse.cel.CelExpression.ResultType;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Durations;

/**
 * The file of kube-apiserver's {@code --authorization-config}: the authorizers, in the order in which they are asked.
 * Immutable.
 */
public record AuthorizationConfig(@Nullable String apiVersion, @Nullable String kind, List<Entry> authorizers) {
    record Entry(String type, String name, @Nullable Webhook webhook) {}

    record Webhook(@Nullable @JsonProperty("authorizedTTL") String authorized,
            @Nullable Boolean cacheAuthorizedRequests, @Nullable @JsonProperty("unauthorizedTTL") String unauthorized,
            @Nullable Boolean cacheUnauthorizedRequests, @Nullable String timeout,
            @Nullable String subjectAccessReviewVersion, @Nullable String matchConditionSubjectAccessReviewVersion,
            @Nullable String failurePolicy, @Nullable Connection connectionInfo, List<Condition> matchConditions) {}

    record Connection(@Nullable String type, @Nullable String kubeConfigFile) {}

    record Condition(String expression) {}

    /** @throws dev.wheelhouse.apiserver.auth.AuthConfigException if the file is no such configuration */
    public static List<OtherParties.AuthorizerOfStore> read(Path path, Clock clock) {
        ConfigFile file = new ConfigFile(path);
        AuthorizationConfig config = file.read("AuthorizationConfiguration", "apiserver.config.k8s.io/",
                AuthorizationConfig.class);
        List<OtherParties.AuthorizerOfStore> authorizers = new ArrayList<>();
        for (Entry entry : config.authorizers) {
            String at = "authorizers of the name " + entry.name + ": ";
            file.require(entry.name != null, at + "each entry needs a name");
            authorizers.add(switch (String.valueOf(entry.type)) {
                case "Node" -> OtherParties.NODES;
                case "RBAC" -> OtherParties.ROLES;
                case "Webhook" -> {
                    Authorizer webhook = webhook(file, at + "webhook.", entry.webhook, clock);
                    yield (store, roles) -> webhook;
                }
                default -> throw file.wrong(at + "type is \"" + entry.type
                        + "\": it must be Webhook, Node or RBAC");
            });
        }
        return authorizers;
    }

    private static Authorizer webhook(ConfigFile file, String at, @Nullable Webhook hook, Clock clock) {
        Connection connection = hook == null ? null : hook.connectionInfo;
        if (hook == null || connection == null || !"KubeConfigFile".equals(connection.type)
                || connection.kubeConfigFile == null) {
            throw file.wrong(at + "connectionInfo needs the type KubeConfigFile and a kubeConfigFile");
        }
        oneOf(file, at + "subjectAccessReviewVersion", hook.subjectAccessReviewVersion, "v1");
        if (!hook.matchConditions.isEmpty()) {
            oneOf(file, at + "matchConditionSubjectAccessReviewVersion", hook.matchConditionSubjectAccessReviewVersion,
                    "v1");
        }
        Duration timeout = time(file, at + "timeout", hook.timeout, true, "");
        return new RequestWebhook(
                RemoteService.of(file.file().resolveSibling(connection.kubeConfigFile), clock), timeout,
                time(file, at + "authorizedTTL", hook.authorized, hook.cacheAuthorizedRequests, "5m"),
                time(file, at + "unauthorizedTTL", hook.unauthorized, hook.cacheUnauthorizedRequests, "30s"),
                oneOf(file, at + "failurePolicy", hook.failurePolicy, "Deny", "NoOpinion").equals("Deny"),
                hook.matchConditions.stream().map(each -> Expression.of(file, at + "matchConditions", "request",
                        ResultType.BOOL, String.valueOf(each.expression))).toList(),
                new Answers<>(clock));
    }

    private static String oneOf(ConfigFile file, String field, @Nullable String value, String... values) {
        if (value == null || !List.of(values).contains(value)) {
            throw file.wrong(field + " is \"" + value + "\": it must be one of " + List.of(values));
        }
        return value;
    }

    private static Duration time(ConfigFile file, String field, @Nullable String text, @Nullable Boolean counts,
            String otherwise) {
        Duration time = Durations.parse(text == null ? otherwise : text);
        if (Boolean.FALSE.equals(counts)) {
            return Duration.ZERO;
        }
        if (time == null || !time.isPositive()) {
            throw file.wrong(field + " is \"" + text + "\": write a time such as 3s");
        }
        return time;
    }
}
