package dev.wheelhouse.apiserver.access;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

import com.fasterxml.jackson.annotation.JsonProperty;

import dev.wheelhouse.apiserver.auth.ConfigFile;
import dev.wheelhouse.apiserver.auth.OtherParties;
import dev.wheelhouse.apiserver.auth.TokenAuthenticator;
import dev.wheelhouse.runtime.Clock;

/**
 * The file of kube-apiserver's {@code --authentication-config} (upstream:
 * {@code apiserver/pkg/apis/apiserver/v1/types.go}, {@code validation}). Immutable.
 */
public record AuthenticationConfig(@Nullable String apiVersion, @Nullable String kind, List<Jwt> jwt,
        @Nullable Anonymous anonymous) {
    record Jwt(Issuer issuer, List<ClaimRule> claimValidationRules, Mappings claimMappings,
            List<UserRule> userValidationRules) {}

    record Issuer(String url, @Nullable @JsonProperty("discoveryURL") String discovery,
            @Nullable String certificateAuthority, List<String> audiences, @Nullable String audienceMatchPolicy) {}

    record ClaimRule(@Nullable String claim, @Nullable String requiredValue, @Nullable String expression,
            @Nullable String message) {}

    record UserRule(String expression, @Nullable String message) {}

    record Mappings(Mapping username, @Nullable Mapping groups, @Nullable Mapping uid, List<Extra> extra) {}

    record Mapping(@Nullable String claim, @Nullable String prefix, @Nullable String expression) {}

    record Extra(String key, String valueExpression) {}

    record Anonymous(@Nullable Boolean enabled, List<Condition> conditions) {}

    record Condition(String path) {}

    /** @throws dev.wheelhouse.apiserver.auth.AuthConfigException if the file is no such configuration */
    public static OtherParties read(Path path, Clock clock) {
        ConfigFile file = new ConfigFile(path);
        AuthenticationConfig config = file.read("AuthenticationConfiguration", "apiserver.config.k8s.io/",
                AuthenticationConfig.class);
        List<TokenAuthenticator> authenticators = config.jwt.stream()
                .<TokenAuthenticator>map(each -> new OpenIdAuthenticator(each, file, clock)).toList();
        Anonymous given = config.anonymous;
        boolean enabled = given == null || Boolean.TRUE.equals(given.enabled);
        List<String> paths = given == null ? List.of() : given.conditions.stream().map(Condition::path).toList();
        file.require(enabled || paths.isEmpty(), "anonymous.conditions stands beside enabled: false: remove it");
        return new OtherParties(authenticators, asked -> enabled && (paths.isEmpty() || paths.contains(asked)), null);
    }
}
