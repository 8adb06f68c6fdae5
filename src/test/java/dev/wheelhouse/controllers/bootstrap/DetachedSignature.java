package dev.wheelhouse.controllers.bootstrap;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** The signature of a content by a bootstrap token, as in RFC 7515, and without the content (its appendix F). */
public final class DetachedSignature {
    private DetachedSignature() {}

    public static String of(String content, String id, String secret) {
        Base64.Encoder encoder = Base64.getUrlEncoder().withoutPadding();
        String header = encoder.encodeToString(bytes("{\"alg\":\"HS256\",\"kid\":\"" + id + "\"}"));
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(bytes(secret), "HmacSHA256"));
            byte[] signature = mac.doFinal(bytes(header + "." + encoder.encodeToString(bytes(content))));
            return header + ".." + encoder.encodeToString(signature);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
