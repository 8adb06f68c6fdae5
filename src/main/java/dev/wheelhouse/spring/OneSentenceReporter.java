package dev.wheelhouse.spring;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Reports a failed start as one sentence on standard error, instead of Spring Boot's page of text. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class OneSentenceReporter implements FailureAnalysisReporter {
    static final String PREFIX = "wheelhouse: cannot start: ";

    @Override
    public void report(FailureAnalysis analysis) {
        String action = analysis.getAction() == null ? "" : " " + oneLine(analysis.getAction());
        System.err.println((PREFIX + oneLine(analysis.getDescription()) + action).strip());
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
