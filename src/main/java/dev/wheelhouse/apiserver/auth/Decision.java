package dev.wheelhouse.apiserver.auth;

/**
 * Whether somebody may do something.
 *
 * @param reason why it is allowed, or what got in the way of allowing it; may be empty
 */
public record Decision(boolean allowed, String reason) {
    static final Decision ALLOWED = new Decision(true, "");
}
