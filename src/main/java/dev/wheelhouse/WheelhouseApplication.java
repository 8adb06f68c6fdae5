package dev.wheelhouse;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

import dev.wheelhouse.spring.CommandLine;

/** The service. A start that fails says why in one sentence and ends with exit code 1. */
@SpringBootApplication(proxyBeanMethods = false)
public class WheelhouseApplication {

    public static void main(String[] args) {
        CommandLine.check(args).ifPresent(WheelhouseApplication::sayAndExit);
        try {
            SpringApplication.run(WheelhouseApplication.class, args);
        } catch (RuntimeException e) {
            // Said already, by Spring Boot's failure reporter.
            System.exit(1);
        }
    }

    private static void sayAndExit(CommandLine.Answer answer) {
        (answer.exitCode() == 0 ? System.out : System.err).println(answer.text());
        System.exit(answer.exitCode());
    }
}
