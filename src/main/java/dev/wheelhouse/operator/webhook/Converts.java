package dev.wheelhouse.operator.webhook;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A method of an operator that converts a custom resource from one version to another:
 * {@code WebsiteV1 upgrade(WebsiteV1beta1 old)}. Both classes have the same group and kind. Every two versions must be
 * connected, in both directions, directly or by way of others. The result gets the metadata of the original; labels and
 * annotations are those of the result, if it sets any or has the metadata object of the original. A conversion must
 * lose nothing: what one version cannot say belongs in an annotation.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Converts {
}
