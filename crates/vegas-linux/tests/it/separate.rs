//! What the build makes of functions that the verifier examines separately: from the IR of rustc to C, and to IR that
//! calls it.

#[path = "../../build/separate.rs"]
mod build;

use build::{Separate, c_source};

/// As rustc writes it: two functions that are examined separately, one of a library, one that is cold, and calls.
const IR: &str = r#"
define internal fastcc noundef range(i64 0, 512) i64 @_ZN10vegas_core4root17h0011223344556677E(i64 noundef %value) unnamed_addr #16 {
  ret i64 0
}
define internal fastcc void @"_ZN52_$LT$vegas_core..Own$GT$9end_round17h8899aabbccddeeffE"(ptr noalias noundef nonnull align 8 captures(none) dereferenceable(256) %self, ptr noundef readonly dereferenceable(136) %ack, i1 noundef zeroext %is_used) unnamed_addr #16 personality ptr @rust_eh_personality {
  %_4 = tail call fastcc noundef i64 @_ZN10vegas_core4root17h0011223344556677E(i64 noundef %value) #29, !noalias !12
  tail call fastcc void @"_ZN52_$LT$vegas_core..Own$GT$9end_round17h8899aabbccddeeffE"(ptr noundef %self, ptr noundef %ack, i1 noundef zeroext %_7) #29
  ret void
}
define internal void @_ZN4core3fmt5write17h0123456789abcdefE(ptr %out) unnamed_addr #16 {
define void @_ZN10vegas_core14standalone_ack17h0123456789abcdefE(ptr %out) unnamed_addr #17 {
define i64 @_ZN10vegas_core6with_it17h0123456789abcdefE(ptr %out) unnamed_addr #160 {
attributes #16 = { noinline nounwind nonlazybind "target-cpu"="x86-64" }
attributes #17 = { cold noinline nounwind }
attributes #160 = { nounwind }
"#;

fn found() -> Vec<Separate> {
    Separate::all_in(IR).expect("the build takes it")
}

#[test]
fn each_gets_a_c_function_with_checks_for_null() {
    let c = "\
struct bytes_136 { unsigned char bytes[136]; };
struct bytes_256 { unsigned char bytes[256]; };
unsigned long long core_separate_0_root(unsigned long long a0) __asm__(\"_ZN10vegas_core4root17h0011223344556677E\");
__attribute__((noinline)) unsigned long long separate_0_root(unsigned long long a0)
{
\treturn core_separate_0_root(a0);
}
void core_separate_1_end_round(struct bytes_256 * a0, struct bytes_136 * a1, _Bool a2) \
__asm__(\"_ZN52_$LT$vegas_core..Own$GT$9end_round17h8899aabbccddeeffE\");
__attribute__((noinline)) unsigned long long separate_1_end_round(struct bytes_256 * a0, struct bytes_136 * a1, _Bool a2)
{
\tif (!a0)
\t\treturn 0;
\tif (!a1)
\t\treturn 0;
\tcore_separate_1_end_round(a0, a1, a2);
\treturn 0;
}
";
    assert_eq!(c_source(&found()), c);
}

#[test]
fn callers_call_the_c_function_and_c_reaches_the_definition() {
    let retargeted: Vec<_> = (0..)
        .zip(IR.lines())
        .filter_map(|(number, line)| found().iter().find_map(|it| it.retarget(line, number)))
        .collect();
    assert_eq!(
        retargeted,
        [
            "define noundef range(i64 0, 512) i64 @_ZN10vegas_core4root17h0011223344556677E(i64 noundef %value) unnamed_addr #16 {",
            "define void @\"_ZN52_$LT$vegas_core..Own$GT$9end_round17h8899aabbccddeeffE\"(ptr noalias noundef nonnull align 8 \
             captures(none) dereferenceable(256) %self, ptr noundef readonly dereferenceable(136) %ack, i1 noundef zeroext \
             %is_used) unnamed_addr #16 personality ptr @rust_eh_personality {",
            "  %_4 = tail call noundef i64 @separate_0_root(i64 noundef %value)",
            "  %separate.6 = tail call i64 @separate_1_end_round(ptr noundef %self, ptr noundef %ack, i1 noundef zeroext %_7)",
        ]
    );
    let declared: String = found().iter().map(Separate::declaration).collect();
    assert!(
        declared.starts_with("declare noundef range(i64 0, 512) i64 @separate_0_root(i64 noundef %value)\n"),
        "{declared}"
    );
    assert!(declared.contains("\ndeclare i64 @separate_1_end_round(ptr noalias "), "{declared}");
}

#[test]
fn what_bpf_cannot_pass_is_refused_by_name() {
    let function = |answer: &str, arguments: &str| {
        format!(
            "define internal {answer} @_ZN10vegas_core5share17h0123456789abcdefE({arguments}) unnamed_addr #16 {{\n\
             attributes #16 = {{ noinline nounwind }}\n"
        )
    };
    for (answer, arguments) in [
        ("{ i64, i64 }", "i64 %a"),
        ("i128", "i64 %a"),
        ("void", "ptr noalias sret([24 x i8]) align 8 dereferenceable(24) %_0"),
        ("i64", "ptr noundef nonnull %slice.0, i64 %slice.1"),
        ("i64", "i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f"),
    ] {
        let refused = Separate::all_in(&function(answer, arguments)).err();
        assert!(refused.is_some_and(|said| said.starts_with("share: ")), "{answer} ({arguments})");
    }
    assert_eq!(Separate::all_in(&function("void", "")).map(|found| found.len()), Ok(1));
}
