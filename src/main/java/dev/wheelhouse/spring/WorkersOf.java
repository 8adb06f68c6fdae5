package dev.wheelhouse.spring;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Names the controller of which a flag says the number of workers, without the {@code -controller} at its end. */
@Target(ElementType.RECORD_COMPONENT)
@Retention(RetentionPolicy.RUNTIME)
@interface WorkersOf {
    /** A name that is too long for the line of its flag. */
    String POLICY_STATUS = "validatingadmissionpolicy-status";

    String value();
}
