package dev.wheelhouse.apiserver.auth;

import java.util.List;

import org.jspecify.annotations.Nullable;

/** Knows the users of tokens that another party made. Thread safe; it may block for a call of that party. */
public interface TokenAuthenticator {
    /**
     * @param audiences for one of which the token must be
     * @return null if the token is of another party
     * @throws UnauthorizedException if the token is refused
     */
    @Nullable
    User user(String token, List<String> audiences) throws UnauthorizedException;
}
