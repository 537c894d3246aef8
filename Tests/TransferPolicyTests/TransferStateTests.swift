import Testing

@testable import TransferPolicy

@Suite struct TransferStateTests {
    @Test(arguments: TransferMachineTable.states) func textOfAStateIsOneShortLine(_ state: TransferState) {
        let text = state.text(now: .seconds(3))
        #expect(!text.isEmpty && text.count <= 100 && !text.contains("\n"))
    }

    @Test func statesHaveDifferentTexts() {
        let texts = TransferMachineTable.states.map { $0.text(now: .zero) }
        // Delays of the same length share a text only with delays of the same kind.
        #expect(Set(texts).count == texts.count)
    }

    @Test func onlyConnectingAndReceivingTransfersRun() {
        #expect(TransferMachineTable.states.filter(\.isRunning) == [.connecting, .receiving])
    }

    @Test func endedTransfersAreTerminal() {
        let terminal = TransferMachineTable.states.filter(\.isTerminal)
        #expect(Set(terminal) == [.finished, .delivered, .cancelled, .failed(.certificate)])
    }
}

@Suite struct TransferFailureTests {
    @Test func failuresHaveDifferentTextsAndURLErrorCodes() {
        let failures = Self.failures
        #expect(Set(failures.map(\.text)).count == failures.count)
        #expect(Set(failures.map(\.urlErrorCode)).count == failures.count)
        #expect(failures.allSatisfy { $0.urlErrorCode < 0 })
    }

    @Test func timeoutAndCertificateHaveTheCodesOfNSURLError() {
        #expect(TransferFailure.resourceTimeout.urlErrorCode == -1001)
        #expect(TransferFailure.certificate.urlErrorCode == -1202)
        #expect(TransferFailure.tooManyRedirects.urlErrorCode == -1007)
    }

    @Test func aFailedWriteNamesTheErrorOfTheSystem() {
        #expect(TransferFailure.cannotWrite(errorNumber: 30).text.contains("EROFS"))
    }

    static let failures: [TransferFailure] = [
        .resourceTimeout, .badServerResponse, .tooManyRedirects, .redirectRefused, .unsupportedURL, .certificate,
        .digestMismatch, .tooLarge, .directoryChanged, .unreadableFile, .cannotWrite(errorNumber: 13),
    ]
}
