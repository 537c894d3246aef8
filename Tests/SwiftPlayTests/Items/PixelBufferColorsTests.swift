import Testing

@testable import SwiftPlay

/// Tests the colour codes of ITU-T H.273 exhaustively: a code has its case, or it is reserved and becomes unspecified.
@Suite struct PixelBufferColorsTests {
    @Test func onlyAssignedMatrixCodesAreKept() {
        for code in UInt8.min...(.max) {
            let isReserved = code == 3 || code > 14
            #expect(PixelBuffer.ColorMatrix(code: code).rawValue == (isReserved ? 2 : Int(code)), "\(code)")
        }
    }

    @Test func onlyAssignedPrimariesCodesAreKept() {
        for code in UInt8.min...(.max) {
            let isReserved = code == 0 || code == 3 || (13...21).contains(code) || code > 22
            #expect(PixelBuffer.ColorPrimaries(code: code).rawValue == (isReserved ? 2 : Int(code)), "\(code)")
        }
    }

    @Test func onlyAssignedTransferFunctionCodesAreKept() {
        for code in UInt8.min...(.max) {
            let isReserved = code == 0 || code == 3 || code > 18
            #expect(PixelBuffer.TransferFunction(code: code).rawValue == (isReserved ? 2 : Int(code)), "\(code)")
        }
    }
}
