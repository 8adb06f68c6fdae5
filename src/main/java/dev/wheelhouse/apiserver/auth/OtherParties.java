package dev.wheelhouse.apiserver.auth;

import java.util.List;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.store.ObjectStore;

/**
 * The users and rights of a server that others say, not its own tokens and roles. Immutable.
 *
 * @param tokens know the users of tokens that the server did not make
 * @param anonymous the paths that requests without credentials may name
 * @param authorizers are asked in their order; null for those of the mode
 */
public record OtherParties(List<TokenAuthenticator> tokens, Predicate<String> anonymous,
        @Nullable List<AuthorizerOfStore> authorizers) {
    public static final OtherParties NONE = new OtherParties(List.of(), any -> true, null);
    /** Lets the pods of a node decide about it. */
    public static final AuthorizerOfStore NODES = (store, roles) -> new NodeAuthorizer(store);
    /** Lets roles decide. */
    public static final AuthorizerOfStore ROLES = (store, roles) -> new RbacAuthorizer(roles);

    /** Makes an authorizer for the server of a store. */
    public interface AuthorizerOfStore {
        Authorizer of(ObjectStore store, RbacPolicies roles);
    }
}
