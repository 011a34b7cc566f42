define void @read0(ptr %base, i64 %stride, i64 %row, i64 %end, ptr %waste, ptr noalias %s, ptr %table, i64 %count) #0 {
start:
  %t1 = sub i64 %end, 1
  %t2 = add i64 %row, 0
  %t3 = icmp slt i64 %t2, %end
  %t4 = select i1 %t3, i64 %t2, i64 %t1
  %t5 = mul i64 %t4, %stride
  %t6 = getelementptr double, ptr %base, i64 %t5
  %t7 = add i64 %row, 1
  %t8 = icmp slt i64 %t7, %end
  %t9 = select i1 %t8, i64 %t7, i64 %t1
  %t10 = mul i64 %t9, %stride
  %t11 = getelementptr double, ptr %base, i64 %t10
  %t12 = add i64 %row, 2
  %t13 = icmp slt i64 %t12, %end
  %t14 = select i1 %t13, i64 %t12, i64 %t1
  %t15 = mul i64 %t14, %stride
  %t16 = getelementptr double, ptr %base, i64 %t15
  %t17 = add i64 %row, 3
  %t18 = icmp slt i64 %t17, %end
  %t19 = select i1 %t18, i64 %t17, i64 %t1
  %t20 = mul i64 %t19, %stride
  %t21 = getelementptr double, ptr %base, i64 %t20
  %t22 = getelementptr double, ptr %t6, i64 0
  %t23 = load <2 x double>, ptr %t22, align 8
  %t24 = getelementptr double, ptr %t11, i64 0
  %t25 = load <2 x double>, ptr %t24, align 8
  %t26 = getelementptr double, ptr %t16, i64 0
  %t27 = load <2 x double>, ptr %t26, align 8
  %t28 = getelementptr double, ptr %t21, i64 0
  %t29 = load <2 x double>, ptr %t28, align 8
  %t30 = shufflevector <2 x double> %t23, <2 x double> %t27, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t31 = shufflevector <2 x double> %t25, <2 x double> %t29, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t32 = shufflevector <4 x double> %t30, <4 x double> %t31, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t33 = shufflevector <4 x double> %t30, <4 x double> %t31, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t34 = getelementptr i8, ptr %s, i64 0
  store <4 x double> %t32, ptr %t34, align 32
  %t35 = getelementptr i8, ptr %s, i64 32
  store <4 x double> %t33, ptr %t35, align 32
  ret void
}
define void @write0(ptr %base, i64 %stride, i64 %row, i64 %end, ptr %waste, ptr noalias %s, ptr %table, i64 %count) #0 {
start:
  %t1 = sub i64 %end, 1
  %t2 = add i64 %row, 0
  %t3 = icmp slt i64 %t2, %end
  %t4 = mul i64 %t2, %stride
  %t5 = getelementptr double, ptr %base, i64 %t4
  %t6 = select i1 %t3, ptr %t5, ptr %waste
  %t7 = add i64 %row, 1
  %t8 = icmp slt i64 %t7, %end
  %t9 = mul i64 %t7, %stride
  %t10 = getelementptr double, ptr %base, i64 %t9
  %t11 = select i1 %t8, ptr %t10, ptr %waste
  %t12 = add i64 %row, 2
  %t13 = icmp slt i64 %t12, %end
  %t14 = mul i64 %t12, %stride
  %t15 = getelementptr double, ptr %base, i64 %t14
  %t16 = select i1 %t13, ptr %t15, ptr %waste
  %t17 = add i64 %row, 3
  %t18 = icmp slt i64 %t17, %end
  %t19 = mul i64 %t17, %stride
  %t20 = getelementptr double, ptr %base, i64 %t19
  %t21 = select i1 %t18, ptr %t20, ptr %waste
  %t22 = getelementptr i8, ptr %s, i64 384
  %t23 = load <4 x double>, ptr %t22, align 32
  %t24 = getelementptr i8, ptr %s, i64 0
  %t25 = load <4 x double>, ptr %t24, align 32
  %t26 = shufflevector <4 x double> %t23, <4 x double> %t25, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t27 = shufflevector <4 x double> %t23, <4 x double> %t25, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t28 = shufflevector <4 x double> %t26, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %t29 = getelementptr double, ptr %t6, i64 0
  store <2 x double> %t28, ptr %t29, align 8
  %t30 = shufflevector <4 x double> %t27, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %t31 = getelementptr double, ptr %t11, i64 0
  store <2 x double> %t30, ptr %t31, align 8
  %t32 = shufflevector <4 x double> %t26, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %t33 = getelementptr double, ptr %t16, i64 0
  store <2 x double> %t32, ptr %t33, align 8
  %t34 = shufflevector <4 x double> %t27, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %t35 = getelementptr double, ptr %t21, i64 0
  store <2 x double> %t34, ptr %t35, align 8
  ret void
}
define void @write1(ptr %base, i64 %stride, i64 %row, i64 %end, ptr %waste, ptr noalias %s, ptr %table, i64 %count) #0 {
start:
  %t1 = sub i64 %end, 1
  %t2 = add i64 %row, 0
  %t3 = icmp slt i64 %t2, %end
  %t4 = mul i64 %t2, %stride
  %t5 = getelementptr double, ptr %base, i64 %t4
  %t6 = select i1 %t3, ptr %t5, ptr %waste
  %t7 = add i64 %row, 1
  %t8 = icmp slt i64 %t7, %end
  %t9 = mul i64 %t7, %stride
  %t10 = getelementptr double, ptr %base, i64 %t9
  %t11 = select i1 %t8, ptr %t10, ptr %waste
  %t12 = add i64 %row, 2
  %t13 = icmp slt i64 %t12, %end
  %t14 = mul i64 %t12, %stride
  %t15 = getelementptr double, ptr %base, i64 %t14
  %t16 = select i1 %t13, ptr %t15, ptr %waste
  %t17 = add i64 %row, 3
  %t18 = icmp slt i64 %t17, %end
  %t19 = mul i64 %t17, %stride
  %t20 = getelementptr double, ptr %base, i64 %t19
  %t21 = select i1 %t18, ptr %t20, ptr %waste
  %t22 = getelementptr i8, ptr %s, i64 416
  %t23 = load <4 x double>, ptr %t22, align 32
  %t24 = getelementptr i8, ptr %s, i64 32
  %t25 = load <4 x double>, ptr %t24, align 32
  %t26 = shufflevector <4 x double> %t23, <4 x double> %t25, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t27 = shufflevector <4 x double> %t23, <4 x double> %t25, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t28 = shufflevector <4 x double> %t26, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %t29 = getelementptr double, ptr %t6, i64 0
  store <2 x double> %t28, ptr %t29, align 8
  %t30 = shufflevector <4 x double> %t27, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %t31 = getelementptr double, ptr %t11, i64 0
  store <2 x double> %t30, ptr %t31, align 8
  %t32 = shufflevector <4 x double> %t26, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %t33 = getelementptr double, ptr %t16, i64 0
  store <2 x double> %t32, ptr %t33, align 8
  %t34 = shufflevector <4 x double> %t27, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %t35 = getelementptr double, ptr %t21, i64 0
  store <2 x double> %t34, ptr %t35, align 8
  ret void
}
declare double @sin(double) #2
declare double @cos(double) #2
declare double @llvm.fabs.f64(double)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
attributes #0 = { nounwind noinline }
attributes #1 = { nounwind noinline cold }
attributes #2 = { nounwind }

define private void @chunk0(ptr noalias %s) #0 {
  %l6 = getelementptr i8, ptr %s, i64 192
  %v6 = load <4 x double>, ptr %l6, align 32
  %v14 = fmul <4 x double> %v6, splat (double 0x3FE0000000000000)
  %l5 = getelementptr i8, ptr %s, i64 160
  %v5 = load <4 x double>, ptr %l5, align 32
  %v18 = fmul <4 x double> %v5, splat (double 0x3FE0000000000000)
  %l3 = getelementptr i8, ptr %s, i64 96
  %v3 = load <4 x double>, ptr %l3, align 32
  %v21 = fmul <4 x double> %v3, %v3
  %v22 = fmul <4 x double> splat (double 0x3FE0000000000000), %v21
  %l15 = getelementptr i8, ptr %s, i64 256
  %v15 = load <4 x double>, ptr %l15, align 32
  %v23 = fmul <4 x double> %v15, splat (double 0x40239D013A92A305)
  %l16 = getelementptr i8, ptr %s, i64 288
  %v16 = load <4 x double>, ptr %l16, align 32
  %v24 = fmul <4 x double> %v16, splat (double 0x40239D013A92A305)
  %l2 = getelementptr i8, ptr %s, i64 64
  %v2 = load <4 x double>, ptr %l2, align 32
  %v25 = fmul <4 x double> %v2, %v24
  %v26 = fmul <4 x double> %v2, %v23
  %l4 = getelementptr i8, ptr %s, i64 128
  %v4 = load <4 x double>, ptr %l4, align 32
  %v27 = fadd <4 x double> %v4, %v24
  %v28 = fsub <4 x double> %v14, %v26
  %l20 = getelementptr i8, ptr %s, i64 352
  %v20 = load <4 x double>, ptr %l20, align 32
  %v29 = fmul <4 x double> %v20, %v23
  %l19 = getelementptr i8, ptr %s, i64 320
  %v19 = load <4 x double>, ptr %l19, align 32
  %v30 = fmul <4 x double> %v2, %v19
  %v32 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v19, <4 x double> %v27, <4 x double> %v29)
  %v33 = fmul <4 x double> %v19, %v23
  %v34 = fmul <4 x double> %v19, %v25
  %v35 = fmul <4 x double> %v2, %v20
  %n38 = fneg <4 x double> %v20
  %v38 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n38, <4 x double> %v27, <4 x double> %v33)
  %n39 = fneg <4 x double> %v20
  %v39 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n39, <4 x double> %v28, <4 x double> %v34)
  %v41 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v3, <4 x double> %v35, <4 x double> %v32)
  %v43 = fmul <4 x double> %v3, %v32
  %v45 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v18, <4 x double> %v30, <4 x double> %v43)
  %v47 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v22, <4 x double> %v35, <4 x double> %v39)
  %v48 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v3, <4 x double> %v30, <4 x double> %v38)
  %v49 = fadd <4 x double> %v45, %v47
  %v50 = fadd <4 x double> %v2, %v3
  %v51 = fadd <4 x double> %v4, %v5
  %l7 = getelementptr i8, ptr %s, i64 224
  %v7 = load <4 x double>, ptr %l7, align 32
  %v52 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v7, <4 x double> splat (double 0x3FE0000000000000), <4 x double> %v14)
  %v53 = fmul <4 x double> %v51, splat (double 0x3FDCAC083126E978)
  %v54 = fmul <4 x double> %v52, splat (double 0x3FDCAC083126E978)
  %n57 = fneg <4 x double> %v48
  %v57 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n57, <4 x double> splat (double 0x3FE1EB851EB851EB), <4 x double> %v53)
  %n58 = fneg <4 x double> %v49
  %v58 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n58, <4 x double> splat (double 0x3FE1EB851EB851EB), <4 x double> %v54)
  %v59 = fmul <4 x double> %v50, splat (double 0x3FE1EB851EB851EB)
  %v60 = fmul <4 x double> %v51, splat (double 0x3FE1EB851EB851EB)
  %v61 = fmul <4 x double> %v52, splat (double 0x3FE1EB851EB851EB)
  %v62 = fmul <4 x double> %v3, %v59
  %v63 = fmul <4 x double> %v3, %v60
  %v65 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v18, <4 x double> %v59, <4 x double> %v63)
  %n67 = fneg <4 x double> %v22
  %v67 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n67, <4 x double> %v59, <4 x double> %v61)
  %v68 = fmul <4 x double> %v19, %v59
  %v69 = fmul <4 x double> %v19, %v62
  %v70 = fmul <4 x double> %v19, %v65
  %v71 = fmul <4 x double> %v20, %v59
  %n74 = fneg <4 x double> %v20
  %v74 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n74, <4 x double> %v60, <4 x double> %v69)
  %n75 = fneg <4 x double> %v20
  %v75 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n75, <4 x double> %v67, <4 x double> %v70)
  %v76 = fsub <4 x double> %v57, %v74
  %v77 = fsub <4 x double> %v58, %v75
  %v80 = fmul <4 x double> %v30, %v60
  %v82 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v41, <4 x double> %v59, <4 x double> %v80)
  %v83 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v30, <4 x double> %v59, <4 x double> %v57)
  %s83 = getelementptr i8, ptr %s, i64 0
  store <4 x double> %v83, ptr %s83, align 32
  %v84 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v58, <4 x double> splat (double 0x4000000000000000), <4 x double> %v82)
  %s84 = getelementptr i8, ptr %s, i64 32
  store <4 x double> %v84, ptr %s84, align 32
  %v86 = fmul <4 x double> %v4, splat (double 0x400199999999999A)
  %v87 = fmul <4 x double> %v14, splat (double 0x400199999999999A)
  %v90 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v24, <4 x double> splat (double 0x400199999999999A), <4 x double> %v86)
  %n91 = fneg <4 x double> %v26
  %v91 = call <4 x double> @llvm.fma.v4f64(<4 x double> %n91, <4 x double> splat (double 0x400199999999999A), <4 x double> %v87)
  %v92 = fadd <4 x double> %v76, %v90
  %s92 = getelementptr i8, ptr %s, i64 384
  store <4 x double> %v92, ptr %s92, align 32
  %v93 = fadd <4 x double> %v77, %v91
  %v94 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v2, <4 x double> splat (double 0x400199999999999A), <4 x double> %v71)
  %v96 = fmul <4 x double> %v23, %v94
  %v98 = call <4 x double> @llvm.fma.v4f64(<4 x double> %v24, <4 x double> %v68, <4 x double> %v96)
  %v99 = call <4 x double> @llvm.fma.v4f64(<4 x double> splat (double 0x4000000000000000), <4 x double> %v93, <4 x double> %v98)
  %s99 = getelementptr i8, ptr %s, i64 416
  store <4 x double> %v99, ptr %s99, align 32
  ret void
}
define void @run0.many(ptr %s0) #0 {
  %s1 = getelementptr i8, ptr %s0, i64 512
  %s2 = getelementptr i8, ptr %s0, i64 1024
  %s3 = getelementptr i8, ptr %s0, i64 1536
  call void @chunk0(ptr %s0)
  call void @chunk0(ptr %s1)
  call void @chunk0(ptr %s2)
  call void @chunk0(ptr %s3)
  ret void
}
define void @run0.one(ptr %s0) #0 {
  call void @chunk0(ptr %s0)
  ret void
}
declare double @sin(double) #2
declare double @cos(double) #2
declare double @llvm.fabs.f64(double)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
attributes #0 = { nounwind noinline }
attributes #1 = { nounwind noinline cold }
attributes #2 = { nounwind }

; calls other modules
@records = private constant [2 x { ptr, ptr, i64, i64, i64 }] [{ ptr, ptr, i64, i64, i64 } { ptr @write0, ptr null, i64 0, i64 2, i64 0 }, { ptr, ptr, i64, i64, i64 } { ptr @write1, ptr null, i64 0, i64 2, i64 1 }]
@angles0 = private constant [6 x i64] [i64 0, i64 256, i64 288, i64 32, i64 320, i64 352]
define void @entry(i64 %begin, i64 %end, ptr %in, ptr %in.strides, ptr %out, ptr %out.strides, ptr %scratch, i64 %rows) #0 {
start:
  %a0 = ptrtoint ptr %scratch to i64
  %a1 = add i64 %a0, 63
  %a2 = and i64 %a1, -64
  %waste = inttoptr i64 %a2 to ptr
  %s0 = getelementptr i8, ptr %waste, i64 64
  %s1 = getelementptr i8, ptr %waste, i64 576
  %s2 = getelementptr i8, ptr %waste, i64 1088
  %s3 = getelementptr i8, ptr %waste, i64 1600
  %packed = getelementptr i8, ptr %waste, i64 2112
  %past = icmp sgt i64 %rows, 524288
  %left = sub i64 %end, %begin

  %full = sub i64 %end, 12
  br label %head
head:
  %row.many = phi i64 [ %begin, %start ], [ %next.many, %many.end ]
  %next.many = add i64 %row.many, 16
  %enough = icmp slt i64 %row.many, %full
  br i1 %enough, label %many, label %tail
many:
  %ahead = add i64 %row.many, 32
  %ahead.in0.q = getelementptr ptr, ptr %in, i64 0
  %ahead.in0.p = load ptr, ptr %ahead.in0.q
  %ahead.in0.r = getelementptr i64, ptr %in.strides, i64 0
  %ahead.in0.n = load i64, ptr %ahead.in0.r
  call void @fetch.in(ptr %ahead.in0.p, i64 %ahead.in0.n, i64 %ahead, i64 %end, i1 false)
  %ahead.in1.q = getelementptr ptr, ptr %in, i64 1
  %ahead.in1.p = load ptr, ptr %ahead.in1.q
  %ahead.in1.r = getelementptr i64, ptr %in.strides, i64 1
  %ahead.in1.n = load i64, ptr %ahead.in1.r
  call void @fetch.in(ptr %ahead.in1.p, i64 %ahead.in1.n, i64 %ahead, i64 %end, i1 false)
  %ahead.in2.q = getelementptr ptr, ptr %in, i64 2
  %ahead.in2.p = load ptr, ptr %ahead.in2.q
  %ahead.in2.r = getelementptr i64, ptr %in.strides, i64 2
  %ahead.in2.n = load i64, ptr %ahead.in2.r
  call void @fetch.in(ptr %ahead.in2.p, i64 %ahead.in2.n, i64 %ahead, i64 %end, i1 false)
  %ahead.in3.q = getelementptr ptr, ptr %in, i64 3
  %ahead.in3.p = load ptr, ptr %ahead.in3.q
  %ahead.in3.r = getelementptr i64, ptr %in.strides, i64 3
  %ahead.in3.n = load i64, ptr %ahead.in3.r
  call void @fetch.in(ptr %ahead.in3.p, i64 %ahead.in3.n, i64 %ahead, i64 %end, i1 false)
  %ahead.out0.q = getelementptr ptr, ptr %out, i64 0
  %ahead.out0.p = load ptr, ptr %ahead.out0.q
  %ahead.out0.r = getelementptr i64, ptr %out.strides, i64 0
  %ahead.out0.n = load i64, ptr %ahead.out0.r
  call void @fetch.out(ptr %ahead.out0.p, i64 %ahead.out0.n, i64 %ahead, i64 %end, i1 %past)
  %ahead.out1.q = getelementptr ptr, ptr %out, i64 1
  %ahead.out1.p = load ptr, ptr %ahead.out1.q
  %ahead.out1.r = getelementptr i64, ptr %out.strides, i64 1
  %ahead.out1.n = load i64, ptr %ahead.out1.r
  call void @fetch.out(ptr %ahead.out1.p, i64 %ahead.out1.n, i64 %ahead, i64 %end, i1 %past)
  %many0.row = add i64 %row.many, 0
  %many1.row = add i64 %row.many, 4
  %many2.row = add i64 %row.many, 8
  %many3.row = add i64 %row.many, 12
  %many.left = sub i64 %end, %row.many
  %many0.in0.q = getelementptr ptr, ptr %in, i64 0
  %many0.in0.p = load ptr, ptr %many0.in0.q
  %many0.in0.r = getelementptr i64, ptr %in.strides, i64 0
  %many0.in0.n = load i64, ptr %many0.in0.r
  %many0.in0.s = getelementptr i8, ptr %s0, i64 0
  call void @read0(ptr %many0.in0.p, i64 %many0.in0.n, i64 %many0.row, i64 %end, ptr %waste, ptr %many0.in0.s, ptr null, i64 0)
  %many1.in0.q = getelementptr ptr, ptr %in, i64 0
  %many1.in0.p = load ptr, ptr %many1.in0.q
  %many1.in0.r = getelementptr i64, ptr %in.strides, i64 0
  %many1.in0.n = load i64, ptr %many1.in0.r
  %many1.in0.s = getelementptr i8, ptr %s1, i64 0
  call void @read0(ptr %many1.in0.p, i64 %many1.in0.n, i64 %many1.row, i64 %end, ptr %waste, ptr %many1.in0.s, ptr null, i64 0)
  %many2.in0.q = getelementptr ptr, ptr %in, i64 0
  %many2.in0.p = load ptr, ptr %many2.in0.q
  %many2.in0.r = getelementptr i64, ptr %in.strides, i64 0
  %many2.in0.n = load i64, ptr %many2.in0.r
  %many2.in0.s = getelementptr i8, ptr %s2, i64 0
  call void @read0(ptr %many2.in0.p, i64 %many2.in0.n, i64 %many2.row, i64 %end, ptr %waste, ptr %many2.in0.s, ptr null, i64 0)
  %many3.in0.q = getelementptr ptr, ptr %in, i64 0
  %many3.in0.p = load ptr, ptr %many3.in0.q
  %many3.in0.r = getelementptr i64, ptr %in.strides, i64 0
  %many3.in0.n = load i64, ptr %many3.in0.r
  %many3.in0.s = getelementptr i8, ptr %s3, i64 0
  call void @read0(ptr %many3.in0.p, i64 %many3.in0.n, i64 %many3.row, i64 %end, ptr %waste, ptr %many3.in0.s, ptr null, i64 0)
  %many0.in1.q = getelementptr ptr, ptr %in, i64 1
  %many0.in1.p = load ptr, ptr %many0.in1.q
  %many0.in1.r = getelementptr i64, ptr %in.strides, i64 1
  %many0.in1.n = load i64, ptr %many0.in1.r
  %many0.in1.s = getelementptr i8, ptr %s0, i64 64
  call void @read0(ptr %many0.in1.p, i64 %many0.in1.n, i64 %many0.row, i64 %end, ptr %waste, ptr %many0.in1.s, ptr null, i64 0)
  %many1.in1.q = getelementptr ptr, ptr %in, i64 1
  %many1.in1.p = load ptr, ptr %many1.in1.q
  %many1.in1.r = getelementptr i64, ptr %in.strides, i64 1
  %many1.in1.n = load i64, ptr %many1.in1.r
  %many1.in1.s = getelementptr i8, ptr %s1, i64 64
  call void @read0(ptr %many1.in1.p, i64 %many1.in1.n, i64 %many1.row, i64 %end, ptr %waste, ptr %many1.in1.s, ptr null, i64 0)
  %many2.in1.q = getelementptr ptr, ptr %in, i64 1
  %many2.in1.p = load ptr, ptr %many2.in1.q
  %many2.in1.r = getelementptr i64, ptr %in.strides, i64 1
  %many2.in1.n = load i64, ptr %many2.in1.r
  %many2.in1.s = getelementptr i8, ptr %s2, i64 64
  call void @read0(ptr %many2.in1.p, i64 %many2.in1.n, i64 %many2.row, i64 %end, ptr %waste, ptr %many2.in1.s, ptr null, i64 0)
  %many3.in1.q = getelementptr ptr, ptr %in, i64 1
  %many3.in1.p = load ptr, ptr %many3.in1.q
  %many3.in1.r = getelementptr i64, ptr %in.strides, i64 1
  %many3.in1.n = load i64, ptr %many3.in1.r
  %many3.in1.s = getelementptr i8, ptr %s3, i64 64
  call void @read0(ptr %many3.in1.p, i64 %many3.in1.n, i64 %many3.row, i64 %end, ptr %waste, ptr %many3.in1.s, ptr null, i64 0)
  %many0.in2.q = getelementptr ptr, ptr %in, i64 2
  %many0.in2.p = load ptr, ptr %many0.in2.q
  %many0.in2.r = getelementptr i64, ptr %in.strides, i64 2
  %many0.in2.n = load i64, ptr %many0.in2.r
  %many0.in2.s = getelementptr i8, ptr %s0, i64 128
  call void @read0(ptr %many0.in2.p, i64 %many0.in2.n, i64 %many0.row, i64 %end, ptr %waste, ptr %many0.in2.s, ptr null, i64 0)
  %many1.in2.q = getelementptr ptr, ptr %in, i64 2
  %many1.in2.p = load ptr, ptr %many1.in2.q
  %many1.in2.r = getelementptr i64, ptr %in.strides, i64 2
  %many1.in2.n = load i64, ptr %many1.in2.r
  %many1.in2.s = getelementptr i8, ptr %s1, i64 128
  call void @read0(ptr %many1.in2.p, i64 %many1.in2.n, i64 %many1.row, i64 %end, ptr %waste, ptr %many1.in2.s, ptr null, i64 0)
  %many2.in2.q = getelementptr ptr, ptr %in, i64 2
  %many2.in2.p = load ptr, ptr %many2.in2.q
  %many2.in2.r = getelementptr i64, ptr %in.strides, i64 2
  %many2.in2.n = load i64, ptr %many2.in2.r
  %many2.in2.s = getelementptr i8, ptr %s2, i64 128
  call void @read0(ptr %many2.in2.p, i64 %many2.in2.n, i64 %many2.row, i64 %end, ptr %waste, ptr %many2.in2.s, ptr null, i64 0)
  %many3.in2.q = getelementptr ptr, ptr %in, i64 2
  %many3.in2.p = load ptr, ptr %many3.in2.q
  %many3.in2.r = getelementptr i64, ptr %in.strides, i64 2
  %many3.in2.n = load i64, ptr %many3.in2.r
  %many3.in2.s = getelementptr i8, ptr %s3, i64 128
  call void @read0(ptr %many3.in2.p, i64 %many3.in2.n, i64 %many3.row, i64 %end, ptr %waste, ptr %many3.in2.s, ptr null, i64 0)
  %many0.in3.q = getelementptr ptr, ptr %in, i64 3
  %many0.in3.p = load ptr, ptr %many0.in3.q
  %many0.in3.r = getelementptr i64, ptr %in.strides, i64 3
  %many0.in3.n = load i64, ptr %many0.in3.r
  %many0.in3.s = getelementptr i8, ptr %s0, i64 192
  call void @read0(ptr %many0.in3.p, i64 %many0.in3.n, i64 %many0.row, i64 %end, ptr %waste, ptr %many0.in3.s, ptr null, i64 0)
  %many1.in3.q = getelementptr ptr, ptr %in, i64 3
  %many1.in3.p = load ptr, ptr %many1.in3.q
  %many1.in3.r = getelementptr i64, ptr %in.strides, i64 3
  %many1.in3.n = load i64, ptr %many1.in3.r
  %many1.in3.s = getelementptr i8, ptr %s1, i64 192
  call void @read0(ptr %many1.in3.p, i64 %many1.in3.n, i64 %many1.row, i64 %end, ptr %waste, ptr %many1.in3.s, ptr null, i64 0)
  %many2.in3.q = getelementptr ptr, ptr %in, i64 3
  %many2.in3.p = load ptr, ptr %many2.in3.q
  %many2.in3.r = getelementptr i64, ptr %in.strides, i64 3
  %many2.in3.n = load i64, ptr %many2.in3.r
  %many2.in3.s = getelementptr i8, ptr %s2, i64 192
  call void @read0(ptr %many2.in3.p, i64 %many2.in3.n, i64 %many2.row, i64 %end, ptr %waste, ptr %many2.in3.s, ptr null, i64 0)
  %many3.in3.q = getelementptr ptr, ptr %in, i64 3
  %many3.in3.p = load ptr, ptr %many3.in3.q
  %many3.in3.r = getelementptr i64, ptr %in.strides, i64 3
  %many3.in3.n = load i64, ptr %many3.in3.r
  %many3.in3.s = getelementptr i8, ptr %s3, i64 192
  call void @read0(ptr %many3.in3.p, i64 %many3.in3.n, i64 %many3.row, i64 %end, ptr %waste, ptr %many3.in3.s, ptr null, i64 0)
  %many0.angles0 = call i1 @sincos(ptr %s0, ptr @angles0, i64 2)
  br i1 %many0.angles0, label %many0.angles0.far, label %many0.angles0.near
many0.angles0.far:
  call void @sincos_libm(ptr %s0, ptr @angles0, i64 2)
  br label %many0.angles0.near
many0.angles0.near:
  %many1.angles0 = call i1 @sincos(ptr %s1, ptr @angles0, i64 2)
  br i1 %many1.angles0, label %many1.angles0.far, label %many1.angles0.near
many1.angles0.far:
  call void @sincos_libm(ptr %s1, ptr @angles0, i64 2)
  br label %many1.angles0.near
many1.angles0.near:
  %many2.angles0 = call i1 @sincos(ptr %s2, ptr @angles0, i64 2)
  br i1 %many2.angles0, label %many2.angles0.far, label %many2.angles0.near
many2.angles0.far:
  call void @sincos_libm(ptr %s2, ptr @angles0, i64 2)
  br label %many2.angles0.near
many2.angles0.near:
  %many3.angles0 = call i1 @sincos(ptr %s3, ptr @angles0, i64 2)
  br i1 %many3.angles0, label %many3.angles0.far, label %many3.angles0.near
many3.angles0.far:
  call void @sincos_libm(ptr %s3, ptr @angles0, i64 2)
  br label %many3.angles0.near
many3.angles0.near:
  call void @run0.many(ptr %s0)
  br i1 %past, label %many.past, label %many.near
many.past:
  call void @narrow(ptr @records, i64 2, ptr %out, ptr %out.strides, i64 %row.many, i64 %end, i64 16, ptr %packed, ptr %waste, ptr %s0, i64 512)
  br label %many.written
many.near:
  %many0.out0.q = getelementptr ptr, ptr %out, i64 0
  %many0.out0.p = load ptr, ptr %many0.out0.q
  %many0.out0.r = getelementptr i64, ptr %out.strides, i64 0
  %many0.out0.n = load i64, ptr %many0.out0.r
  %many0.out0.s = getelementptr i8, ptr %s0, i64 0
  call void @write0(ptr %many0.out0.p, i64 %many0.out0.n, i64 %many0.row, i64 %end, ptr %waste, ptr %many0.out0.s, ptr null, i64 0)
  %many1.out0.q = getelementptr ptr, ptr %out, i64 0
  %many1.out0.p = load ptr, ptr %many1.out0.q
  %many1.out0.r = getelementptr i64, ptr %out.strides, i64 0
  %many1.out0.n = load i64, ptr %many1.out0.r
  %many1.out0.s = getelementptr i8, ptr %s1, i64 0
  call void @write0(ptr %many1.out0.p, i64 %many1.out0.n, i64 %many1.row, i64 %end, ptr %waste, ptr %many1.out0.s, ptr null, i64 0)
  %many2.out0.q = getelementptr ptr, ptr %out, i64 0
  %many2.out0.p = load ptr, ptr %many2.out0.q
  %many2.out0.r = getelementptr i64, ptr %out.strides, i64 0
  %many2.out0.n = load i64, ptr %many2.out0.r
  %many2.out0.s = getelementptr i8, ptr %s2, i64 0
  call void @write0(ptr %many2.out0.p, i64 %many2.out0.n, i64 %many2.row, i64 %end, ptr %waste, ptr %many2.out0.s, ptr null, i64 0)
  %many3.out0.q = getelementptr ptr, ptr %out, i64 0
  %many3.out0.p = load ptr, ptr %many3.out0.q
  %many3.out0.r = getelementptr i64, ptr %out.strides, i64 0
  %many3.out0.n = load i64, ptr %many3.out0.r
  %many3.out0.s = getelementptr i8, ptr %s3, i64 0
  call void @write0(ptr %many3.out0.p, i64 %many3.out0.n, i64 %many3.row, i64 %end, ptr %waste, ptr %many3.out0.s, ptr null, i64 0)
  %many0.out1.q = getelementptr ptr, ptr %out, i64 1
  %many0.out1.p = load ptr, ptr %many0.out1.q
  %many0.out1.r = getelementptr i64, ptr %out.strides, i64 1
  %many0.out1.n = load i64, ptr %many0.out1.r
  %many0.out1.s = getelementptr i8, ptr %s0, i64 0
  call void @write1(ptr %many0.out1.p, i64 %many0.out1.n, i64 %many0.row, i64 %end, ptr %waste, ptr %many0.out1.s, ptr null, i64 0)
  %many1.out1.q = getelementptr ptr, ptr %out, i64 1
  %many1.out1.p = load ptr, ptr %many1.out1.q
  %many1.out1.r = getelementptr i64, ptr %out.strides, i64 1
  %many1.out1.n = load i64, ptr %many1.out1.r
  %many1.out1.s = getelementptr i8, ptr %s1, i64 0
  call void @write1(ptr %many1.out1.p, i64 %many1.out1.n, i64 %many1.row, i64 %end, ptr %waste, ptr %many1.out1.s, ptr null, i64 0)
  %many2.out1.q = getelementptr ptr, ptr %out, i64 1
  %many2.out1.p = load ptr, ptr %many2.out1.q
  %many2.out1.r = getelementptr i64, ptr %out.strides, i64 1
  %many2.out1.n = load i64, ptr %many2.out1.r
  %many2.out1.s = getelementptr i8, ptr %s2, i64 0
  call void @write1(ptr %many2.out1.p, i64 %many2.out1.n, i64 %many2.row, i64 %end, ptr %waste, ptr %many2.out1.s, ptr null, i64 0)
  %many3.out1.q = getelementptr ptr, ptr %out, i64 1
  %many3.out1.p = load ptr, ptr %many3.out1.q
  %many3.out1.r = getelementptr i64, ptr %out.strides, i64 1
  %many3.out1.n = load i64, ptr %many3.out1.r
  %many3.out1.s = getelementptr i8, ptr %s3, i64 0
  call void @write1(ptr %many3.out1.p, i64 %many3.out1.n, i64 %many3.row, i64 %end, ptr %waste, ptr %many3.out1.s, ptr null, i64 0)
  br label %many.written
many.written:
  br label %many.end
many.end:
  br label %head
tail:
  %row.one = phi i64 [ %row.many, %head ], [ %next.one, %one.end ]
  %next.one = add i64 %row.one, 4
  %some = icmp slt i64 %row.one, %end
  br i1 %some, label %one, label %done
one:
  %one0.row = add i64 %row.one, 0
  %one.left = sub i64 %end, %row.one
  %one0.in0.q = getelementptr ptr, ptr %in, i64 0
  %one0.in0.p = load ptr, ptr %one0.in0.q
  %one0.in0.r = getelementptr i64, ptr %in.strides, i64 0
  %one0.in0.n = load i64, ptr %one0.in0.r
  %one0.in0.s = getelementptr i8, ptr %s0, i64 0
  call void @read0(ptr %one0.in0.p, i64 %one0.in0.n, i64 %one0.row, i64 %end, ptr %waste, ptr %one0.in0.s, ptr null, i64 0)
  %one0.in1.q = getelementptr ptr, ptr %in, i64 1
  %one0.in1.p = load ptr, ptr %one0.in1.q
  %one0.in1.r = getelementptr i64, ptr %in.strides, i64 1
  %one0.in1.n = load i64, ptr %one0.in1.r
  %one0.in1.s = getelementptr i8, ptr %s0, i64 64
  call void @read0(ptr %one0.in1.p, i64 %one0.in1.n, i64 %one0.row, i64 %end, ptr %waste, ptr %one0.in1.s, ptr null, i64 0)
  %one0.in2.q = getelementptr ptr, ptr %in, i64 2
  %one0.in2.p = load ptr, ptr %one0.in2.q
  %one0.in2.r = getelementptr i64, ptr %in.strides, i64 2
  %one0.in2.n = load i64, ptr %one0.in2.r
  %one0.in2.s = getelementptr i8, ptr %s0, i64 128
  call void @read0(ptr %one0.in2.p, i64 %one0.in2.n, i64 %one0.row, i64 %end, ptr %waste, ptr %one0.in2.s, ptr null, i64 0)
  %one0.in3.q = getelementptr ptr, ptr %in, i64 3
  %one0.in3.p = load ptr, ptr %one0.in3.q
  %one0.in3.r = getelementptr i64, ptr %in.strides, i64 3
  %one0.in3.n = load i64, ptr %one0.in3.r
  %one0.in3.s = getelementptr i8, ptr %s0, i64 192
  call void @read0(ptr %one0.in3.p, i64 %one0.in3.n, i64 %one0.row, i64 %end, ptr %waste, ptr %one0.in3.s, ptr null, i64 0)
  %one0.angles0 = call i1 @sincos(ptr %s0, ptr @angles0, i64 2)
  br i1 %one0.angles0, label %one0.angles0.far, label %one0.angles0.near
one0.angles0.far:
  call void @sincos_libm(ptr %s0, ptr @angles0, i64 2)
  br label %one0.angles0.near
one0.angles0.near:
  call void @run0.one(ptr %s0)
  br i1 %past, label %one.past, label %one.near
one.past:
  call void @narrow(ptr @records, i64 2, ptr %out, ptr %out.strides, i64 %row.one, i64 %end, i64 4, ptr %packed, ptr %waste, ptr %s0, i64 512)
  br label %one.written
one.near:
  %one0.out0.q = getelementptr ptr, ptr %out, i64 0
  %one0.out0.p = load ptr, ptr %one0.out0.q
  %one0.out0.r = getelementptr i64, ptr %out.strides, i64 0
  %one0.out0.n = load i64, ptr %one0.out0.r
  %one0.out0.s = getelementptr i8, ptr %s0, i64 0
  call void @write0(ptr %one0.out0.p, i64 %one0.out0.n, i64 %one0.row, i64 %end, ptr %waste, ptr %one0.out0.s, ptr null, i64 0)
  %one0.out1.q = getelementptr ptr, ptr %out, i64 1
  %one0.out1.p = load ptr, ptr %one0.out1.q
  %one0.out1.r = getelementptr i64, ptr %out.strides, i64 1
  %one0.out1.n = load i64, ptr %one0.out1.r
  %one0.out1.s = getelementptr i8, ptr %s0, i64 0
  call void @write1(ptr %one0.out1.p, i64 %one0.out1.n, i64 %one0.row, i64 %end, ptr %waste, ptr %one0.out1.s, ptr null, i64 0)
  br label %one.written
one.written:
  br label %one.end
one.end:
  br label %tail
done:
  br i1 %past, label %fence, label %over
fence:
  fence seq_cst
  br label %over
over:
  ret void
}
declare void @run0.many(ptr)
declare void @run0.one(ptr)
declare void @read0(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @write0(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @write1(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @fetch.in(ptr, i64, i64, i64, i1)
declare void @fetch.out(ptr, i64, i64, i64, i1)
declare void @move.read(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @move.write(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @move.pack(ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @sweep(ptr, i64, i64, i64, i64, ptr, i64, ptr, i64, i1)
declare void @clear(ptr, i64, i64)
declare void @narrow(ptr, i64, ptr, ptr, i64, i64, i64, ptr, ptr, ptr, i64)
declare void @sincos_libm(ptr, ptr, i64)
declare i1 @sincos(ptr, ptr, i64)
declare double @sin(double) #2
declare double @cos(double) #2
declare double @llvm.fabs.f64(double)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
attributes #0 = { nounwind noinline }
attributes #1 = { nounwind noinline cold }
attributes #2 = { nounwind }

; calls other modules
define void @fetch.in(ptr %base, i64 %stride, i64 %row, i64 %end, i1 %past) #0 {
start:
  %offset = mul i64 %row, %stride
  %first = getelementptr double, ptr %base, i64 %offset
  %left = sub i64 %end, %row
  %short = icmp slt i64 %left, 16
  %rows = select i1 %short, i64 %left, i64 16
  %numbers = mul i64 %stride, %rows
  %near = icmp ule i64 %stride, 64
  %some = icmp sgt i64 %numbers, 0
  %worth = and i1 %near, %some
  %fetched = select i1 %past, i1 false, i1 %worth
  br i1 %fetched, label %loop, label %done
loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  %line = getelementptr double, ptr %first, i64 %k
  call void @llvm.prefetch.p0(ptr %line, i32 0, i32 3, i32 1)
  %next = add i64 %k, 8
  %more = icmp slt i64 %next, %numbers
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @fetch.out(ptr %base, i64 %stride, i64 %row, i64 %end, i1 %past) #0 {
start:
  %offset = mul i64 %row, %stride
  %first = getelementptr double, ptr %base, i64 %offset
  %left = sub i64 %end, %row
  %short = icmp slt i64 %left, 16
  %rows = select i1 %short, i64 %left, i64 16
  %numbers = mul i64 %stride, %rows
  %near = icmp ule i64 %stride, 64
  %some = icmp sgt i64 %numbers, 0
  %worth = and i1 %near, %some
  %fetched = select i1 %past, i1 false, i1 %worth
  br i1 %fetched, label %loop, label %done
loop:
  %k = phi i64 [ 0, %start ], [ %next, %loop ]
  %line = getelementptr double, ptr %first, i64 %k
  call void @llvm.prefetch.p0(ptr %line, i32 1, i32 3, i32 1)
  %next = add i64 %k, 8
  %more = icmp slt i64 %next, %numbers
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @move.read(ptr %base, i64 %stride, i64 %row, i64 %end, ptr %waste, ptr noalias %s, ptr %table, i64 %count) #0 {
start:
  %t1 = sub i64 %end, 1
  %t2 = add i64 %row, 0
  %t3 = icmp slt i64 %t2, %end
  %t4 = select i1 %t3, i64 %t2, i64 %t1
  %t5 = mul i64 %t4, %stride
  %t6 = getelementptr double, ptr %base, i64 %t5
  %t7 = add i64 %row, 1
  %t8 = icmp slt i64 %t7, %end
  %t9 = select i1 %t8, i64 %t7, i64 %t1
  %t10 = mul i64 %t9, %stride
  %t11 = getelementptr double, ptr %base, i64 %t10
  %t12 = add i64 %row, 2
  %t13 = icmp slt i64 %t12, %end
  %t14 = select i1 %t13, i64 %t12, i64 %t1
  %t15 = mul i64 %t14, %stride
  %t16 = getelementptr double, ptr %base, i64 %t15
  %t17 = add i64 %row, 3
  %t18 = icmp slt i64 %t17, %end
  %t19 = select i1 %t18, i64 %t17, i64 %t1
  %t20 = mul i64 %t19, %stride
  %t21 = getelementptr double, ptr %base, i64 %t20
  br label %loop
loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %t22 = getelementptr [3 x i32], ptr %table, i64 %k
  %t23 = getelementptr i32, ptr %t22, i64 0
  %t24 = load i32, ptr %t23
  %t25 = zext i32 %t24 to i64
  %t26 = getelementptr i32, ptr %t22, i64 1
  %t27 = load i32, ptr %t26
  %t28 = zext i32 %t27 to i64
  %t29 = getelementptr i32, ptr %t22, i64 2
  %t30 = load i32, ptr %t29
  %t31 = zext i32 %t30 to i64
  %t32 = getelementptr double, ptr %t6, i64 %t25
  %t33 = load <2 x double>, ptr %t32, align 8
  %t34 = getelementptr double, ptr %t11, i64 %t25
  %t35 = load <2 x double>, ptr %t34, align 8
  %t36 = getelementptr double, ptr %t16, i64 %t25
  %t37 = load <2 x double>, ptr %t36, align 8
  %t38 = getelementptr double, ptr %t21, i64 %t25
  %t39 = load <2 x double>, ptr %t38, align 8
  %t40 = shufflevector <2 x double> %t33, <2 x double> %t37, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t41 = shufflevector <2 x double> %t35, <2 x double> %t39, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
  %t42 = shufflevector <4 x double> %t40, <4 x double> %t41, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t43 = shufflevector <4 x double> %t40, <4 x double> %t41, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t44 = getelementptr i8, ptr %s, i64 %t28
  store <4 x double> %t42, ptr %t44, align 32
  %t45 = getelementptr i8, ptr %s, i64 %t31
  store <4 x double> %t43, ptr %t45, align 32
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @move.write(ptr %base, i64 %stride, i64 %row, i64 %end, ptr %waste, ptr noalias %s, ptr %table, i64 %count) #0 {
start:
  %t1 = sub i64 %end, 1
  %t2 = add i64 %row, 0
  %t3 = icmp slt i64 %t2, %end
  %t4 = mul i64 %t2, %stride
  %t5 = getelementptr double, ptr %base, i64 %t4
  %t6 = select i1 %t3, ptr %t5, ptr %waste
  %t7 = add i64 %row, 1
  %t8 = icmp slt i64 %t7, %end
  %t9 = mul i64 %t7, %stride
  %t10 = getelementptr double, ptr %base, i64 %t9
  %t11 = select i1 %t8, ptr %t10, ptr %waste
  %t12 = add i64 %row, 2
  %t13 = icmp slt i64 %t12, %end
  %t14 = mul i64 %t12, %stride
  %t15 = getelementptr double, ptr %base, i64 %t14
  %t16 = select i1 %t13, ptr %t15, ptr %waste
  %t17 = add i64 %row, 3
  %t18 = icmp slt i64 %t17, %end
  %t19 = mul i64 %t17, %stride
  %t20 = getelementptr double, ptr %base, i64 %t19
  %t21 = select i1 %t18, ptr %t20, ptr %waste
  br label %loop
loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %t22 = getelementptr [3 x i32], ptr %table, i64 %k
  %t23 = getelementptr i32, ptr %t22, i64 0
  %t24 = load i32, ptr %t23
  %t25 = zext i32 %t24 to i64
  %t26 = getelementptr i32, ptr %t22, i64 1
  %t27 = load i32, ptr %t26
  %t28 = zext i32 %t27 to i64
  %t29 = getelementptr i32, ptr %t22, i64 2
  %t30 = load i32, ptr %t29
  %t31 = zext i32 %t30 to i64
  %t32 = getelementptr i8, ptr %s, i64 %t28
  %t33 = load <4 x double>, ptr %t32, align 32
  %t34 = getelementptr i8, ptr %s, i64 %t31
  %t35 = load <4 x double>, ptr %t34, align 32
  %t36 = shufflevector <4 x double> %t33, <4 x double> %t35, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t37 = shufflevector <4 x double> %t33, <4 x double> %t35, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t38 = shufflevector <4 x double> %t36, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %t39 = getelementptr double, ptr %t6, i64 %t25
  store <2 x double> %t38, ptr %t39, align 8
  %t40 = shufflevector <4 x double> %t37, <4 x double> poison, <2 x i32> <i32 0, i32 1>
  %t41 = getelementptr double, ptr %t11, i64 %t25
  store <2 x double> %t40, ptr %t41, align 8
  %t42 = shufflevector <4 x double> %t36, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %t43 = getelementptr double, ptr %t16, i64 %t25
  store <2 x double> %t42, ptr %t43, align 8
  %t44 = shufflevector <4 x double> %t37, <4 x double> poison, <2 x i32> <i32 2, i32 3>
  %t45 = getelementptr double, ptr %t21, i64 %t25
  store <2 x double> %t44, ptr %t45, align 8
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @move.pack(ptr %base, i64 %stride, i64 %row, i64 %end, ptr %waste, ptr noalias %s, ptr %table, i64 %count) #0 {
start:
  %t1 = sub i64 %end, 1
  %t2 = add i64 %row, 0
  %t3 = icmp slt i64 %t2, %end
  %t4 = mul i64 %t2, %stride
  %t5 = getelementptr double, ptr %base, i64 %t4
  %t6 = select i1 %t3, ptr %t5, ptr %waste
  %t7 = add i64 %row, 1
  %t8 = icmp slt i64 %t7, %end
  %t9 = mul i64 %t7, %stride
  %t10 = getelementptr double, ptr %base, i64 %t9
  %t11 = select i1 %t8, ptr %t10, ptr %waste
  %t12 = add i64 %row, 2
  %t13 = icmp slt i64 %t12, %end
  %t14 = mul i64 %t12, %stride
  %t15 = getelementptr double, ptr %base, i64 %t14
  %t16 = select i1 %t13, ptr %t15, ptr %waste
  %t17 = add i64 %row, 3
  %t18 = icmp slt i64 %t17, %end
  %t19 = mul i64 %t17, %stride
  %t20 = getelementptr double, ptr %base, i64 %t19
  %t21 = select i1 %t18, ptr %t20, ptr %waste
  br label %loop
loop:
  %k = phi i64 [ 0, %start ], [ %k.next, %loop ]
  %t22 = getelementptr [5 x i32], ptr %table, i64 %k
  %t23 = getelementptr i32, ptr %t22, i64 0
  %t24 = load i32, ptr %t23
  %t25 = zext i32 %t24 to i64
  %t26 = getelementptr i32, ptr %t22, i64 1
  %t27 = load i32, ptr %t26
  %t28 = zext i32 %t27 to i64
  %t29 = getelementptr i32, ptr %t22, i64 2
  %t30 = load i32, ptr %t29
  %t31 = zext i32 %t30 to i64
  %t32 = getelementptr i32, ptr %t22, i64 3
  %t33 = load i32, ptr %t32
  %t34 = zext i32 %t33 to i64
  %t35 = getelementptr i32, ptr %t22, i64 4
  %t36 = load i32, ptr %t35
  %t37 = zext i32 %t36 to i64
  %t38 = getelementptr i8, ptr %s, i64 %t28
  %t39 = load <4 x double>, ptr %t38, align 32
  %t40 = getelementptr i8, ptr %s, i64 %t31
  %t41 = load <4 x double>, ptr %t40, align 32
  %t42 = getelementptr i8, ptr %s, i64 %t34
  %t43 = load <4 x double>, ptr %t42, align 32
  %t44 = getelementptr i8, ptr %s, i64 %t37
  %t45 = load <4 x double>, ptr %t44, align 32
  %t46 = shufflevector <4 x double> %t39, <4 x double> %t41, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t47 = shufflevector <4 x double> %t39, <4 x double> %t41, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t48 = shufflevector <4 x double> %t43, <4 x double> %t45, <4 x i32> <i32 0, i32 4, i32 2, i32 6>
  %t49 = shufflevector <4 x double> %t43, <4 x double> %t45, <4 x i32> <i32 1, i32 5, i32 3, i32 7>
  %t50 = shufflevector <4 x double> %t46, <4 x double> %t48, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t51 = getelementptr double, ptr %t6, i64 %t25
  store <4 x double> %t50, ptr %t51, align 8
  %t52 = shufflevector <4 x double> %t47, <4 x double> %t49, <4 x i32> <i32 0, i32 1, i32 4, i32 5>
  %t53 = getelementptr double, ptr %t11, i64 %t25
  store <4 x double> %t52, ptr %t53, align 8
  %t54 = shufflevector <4 x double> %t46, <4 x double> %t48, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t55 = getelementptr double, ptr %t16, i64 %t25
  store <4 x double> %t54, ptr %t55, align 8
  %t56 = shufflevector <4 x double> %t47, <4 x double> %t49, <4 x i32> <i32 2, i32 3, i32 6, i32 7>
  %t57 = getelementptr double, ptr %t21, i64 %t25
  store <4 x double> %t56, ptr %t57, align 8
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}
define void @sweep(ptr %out, i64 %stride, i64 %row, i64 %end, i64 %most, ptr %packed, i64 %width, ptr %runs, i64 %count, i1 %past) #0 {
start:
  %left = sub i64 %end, %row
  %few = icmp slt i64 %left, %most
  %rows = select i1 %few, i64 %left, i64 %most
  %all = mul i64 %rows, %width
  %beside = icmp eq i64 %stride, %width
  %dense = icmp eq i64 %count, 0
  %together = and i1 %beside, %dense
  %pieces = select i1 %together, i64 1, i64 %rows
  %numbers = select i1 %together, i64 %all, i64 %width
  %offset = mul i64 %row, %stride
  %first = getelementptr double, ptr %out, i64 %offset
  %copy = select i1 %past, ptr @copy.past, ptr @copy.near
  br label %piece
piece:
  %k = phi i64 [ 0, %start ], [ %k.next, %piece ]
  %to = phi ptr [ %first, %start ], [ %to.next, %piece ]
  %from = phi ptr [ %packed, %start ], [ %from.next, %piece ]
  call void %copy(ptr %to, ptr %from, i64 %numbers, ptr %runs, i64 %count)
  %to.next = getelementptr double, ptr %to, i64 %stride
  %from.next = getelementptr double, ptr %from, i64 %width
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %pieces
  br i1 %more, label %piece, label %done
done:
  ret void
}
define void @clear(ptr %packed, i64 %width, i64 %rows) #0 {
start:
  %many = icmp sgt i64 %rows, 4
  %own = select i1 %many, i64 4, i64 %rows
  %numbers = mul i64 %own, %width
  br label %line
line:
  %k = phi i64 [ 0, %start ], [ %k.next, %line ]
  %to = getelementptr double, ptr %packed, i64 %k
  store <8 x double> zeroinitializer, ptr %to, align 64
  %k.next = add i64 %k, 8
  %more = icmp slt i64 %k.next, %numbers
  br i1 %more, label %line, label %done
done:
  ret void
}
define void @narrow(ptr %records, i64 %count, ptr %out, ptr %strides, i64 %row, i64 %end, i64 %rows, ptr %packed, ptr %waste, ptr %s, i64 %size) #0 {
start:
  br label %output
output:
  %k = phi i64 [ 0, %start ], [ %k.next, %written ]
  %record = getelementptr { ptr, ptr, i64, i64, i64 }, ptr %records, i64 %k
  %write.p = getelementptr { ptr, ptr, i64, i64, i64 }, ptr %record, i64 0, i32 0
  %write = load ptr, ptr %write.p
  %table.p = getelementptr { ptr, ptr, i64, i64, i64 }, ptr %record, i64 0, i32 1
  %table = load ptr, ptr %table.p
  %entries.p = getelementptr { ptr, ptr, i64, i64, i64 }, ptr %record, i64 0, i32 2
  %entries = load i64, ptr %entries.p
  %width.p = getelementptr { ptr, ptr, i64, i64, i64 }, ptr %record, i64 0, i32 3
  %width = load i64, ptr %width.p
  %index.p = getelementptr { ptr, ptr, i64, i64, i64 }, ptr %record, i64 0, i32 4
  %index = load i64, ptr %index.p
  %to.p = getelementptr ptr, ptr %out, i64 %index
  %to = load ptr, ptr %to.p
  %stride.p = getelementptr i64, ptr %strides, i64 %index
  %stride = load i64, ptr %stride.p
  %beside = icmp eq i64 %stride, %width
  %short = icmp sle i64 %width, 16
  %long = xor i1 %short, true
  %together = and i1 %beside, %short
  %each = and i1 %beside, %long
  br label %group
group:
  %g = phi i64 [ 0, %output ], [ %g.next, %moved ]
  %own = phi ptr [ %s, %output ], [ %own.next, %moved ]
  %row.own = add i64 %row, %g
  %before = mul i64 %g, %width
  %offset = select i1 %together, i64 %before, i64 0
  %there = getelementptr double, ptr %packed, i64 %offset
  %base = select i1 %beside, ptr %there, ptr %to
  %first = select i1 %beside, i64 0, i64 %row.own
  %last = select i1 %beside, i64 4, i64 %end
  call void %write(ptr %base, i64 %stride, i64 %first, i64 %last, ptr %waste, ptr %own, ptr %table, i64 %entries)
  br i1 %each, label %sweep, label %moved
sweep:
  call void @sweep(ptr %to, i64 %stride, i64 %row.own, i64 %end, i64 4, ptr %packed, i64 %width, ptr null, i64 0, i1 true)
  br label %moved
moved:
  %own.next = getelementptr i8, ptr %own, i64 %size
  %g.next = add i64 %g, 4
  %g.more = icmp slt i64 %g.next, %rows
  br i1 %g.more, label %group, label %all
all:
  br i1 %together, label %sweep.all, label %written
sweep.all:
  call void @sweep(ptr %to, i64 %stride, i64 %row, i64 %end, i64 %rows, ptr %packed, i64 %width, ptr null, i64 0, i1 true)
  br label %written
written:
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %count
  br i1 %more, label %output, label %done
done:
  ret void
}
define private void @copy.near(ptr %to, ptr %from, i64 %numbers, ptr %runs, i64 %count) #0 {
start:
  %address = ptrtoint ptr %to to i64
  %behind = sub i64 0, %address
  %up = lshr i64 %behind, 3
  %before = and i64 %up, 7
  %short = icmp slt i64 %numbers, %before
  %whole = select i1 %short, i64 %numbers, i64 %before
  %full = sub i64 %numbers, 7
  br label %head.test
head.test:
  %head.k = phi i64 [ 0, %start ], [ %head.next, %head ]
  %head.more = icmp slt i64 %head.k, %whole
  br i1 %head.more, label %head, label %run
head:
  %head.from = getelementptr double, ptr %from, i64 %head.k
  %head.value = load i64, ptr %head.from, align 8
  %head.to = getelementptr double, ptr %to, i64 %head.k
  store i64 %head.value, ptr %head.to, align 8
  %head.next = add i64 %head.k, 1
  br label %head.test
run:
  %k = phi i64 [ 0, %head.test ], [ %k.next, %zeros.test ]
  %at = phi i64 [ %head.k, %head.test ], [ %zeros.k, %zeros.test ]
  %run.p = getelementptr [2 x i64], ptr %runs, i64 %k
  %more = icmp slt i64 %k, %count
  %k.next = add i64 %k, 1
  br i1 %more, label %between, label %rest.test
between:
  %run.end.p = getelementptr i64, ptr %run.p, i64 1
  %run.begin = load i64, ptr %run.p
  %run.end = load i64, ptr %run.end.p
  br label %lines.test
lines.test:
  %lines.k = phi i64 [ %at, %between ], [ %lines.next, %lines ]
  %lines.more = icmp slt i64 %lines.k, %run.begin
  br i1 %lines.more, label %lines, label %zeros.test
lines:
  %lines.from = getelementptr double, ptr %from, i64 %lines.k
  %lines.value = load <8 x double>, ptr %lines.from, align 8
  %lines.to = getelementptr double, ptr %to, i64 %lines.k
  store <8 x double> %lines.value, ptr %lines.to, align 64
  %lines.next = add i64 %lines.k, 8
  br label %lines.test
zeros.test:
  %zeros.k = phi i64 [ %lines.k, %lines.test ], [ %zeros.next, %zeros ]
  %zeros.more = icmp slt i64 %zeros.k, %run.end
  br i1 %zeros.more, label %zeros, label %run
zeros:
  %zeros.to = getelementptr double, ptr %to, i64 %zeros.k
  store <8 x double> zeroinitializer, ptr %zeros.to, align 64
  %zeros.next = add i64 %zeros.k, 8
  br label %zeros.test
rest.test:
  %rest.k = phi i64 [ %at, %run ], [ %rest.next, %rest ]
  %rest.more = icmp slt i64 %rest.k, %full
  br i1 %rest.more, label %rest, label %tail.test
rest:
  %rest.from = getelementptr double, ptr %from, i64 %rest.k
  %rest.value = load <8 x double>, ptr %rest.from, align 8
  %rest.to = getelementptr double, ptr %to, i64 %rest.k
  store <8 x double> %rest.value, ptr %rest.to, align 64
  %rest.next = add i64 %rest.k, 8
  br label %rest.test
tail.test:
  %tail.k = phi i64 [ %rest.k, %rest.test ], [ %tail.next, %tail ]
  %tail.more = icmp slt i64 %tail.k, %numbers
  br i1 %tail.more, label %tail, label %done
tail:
  %tail.from = getelementptr double, ptr %from, i64 %tail.k
  %tail.value = load i64, ptr %tail.from, align 8
  %tail.to = getelementptr double, ptr %to, i64 %tail.k
  store i64 %tail.value, ptr %tail.to, align 8
  %tail.next = add i64 %tail.k, 1
  br label %tail.test
done:
  ret void
}
define private void @copy.past(ptr %to, ptr %from, i64 %numbers, ptr %runs, i64 %count) #0 {
start:
  %address = ptrtoint ptr %to to i64
  %behind = sub i64 0, %address
  %up = lshr i64 %behind, 3
  %before = and i64 %up, 7
  %short = icmp slt i64 %numbers, %before
  %whole = select i1 %short, i64 %numbers, i64 %before
  %full = sub i64 %numbers, 7
  br label %head.test
head.test:
  %head.k = phi i64 [ 0, %start ], [ %head.next, %head ]
  %head.more = icmp slt i64 %head.k, %whole
  br i1 %head.more, label %head, label %run
head:
  %head.from = getelementptr double, ptr %from, i64 %head.k
  %head.value = load i64, ptr %head.from, align 8
  %head.to = getelementptr double, ptr %to, i64 %head.k
  store i64 %head.value, ptr %head.to, align 8, !nontemporal !0
  %head.next = add i64 %head.k, 1
  br label %head.test
run:
  %k = phi i64 [ 0, %head.test ], [ %k.next, %zeros.test ]
  %at = phi i64 [ %head.k, %head.test ], [ %zeros.k, %zeros.test ]
  %run.p = getelementptr [2 x i64], ptr %runs, i64 %k
  %more = icmp slt i64 %k, %count
  %k.next = add i64 %k, 1
  br i1 %more, label %between, label %rest.test
between:
  %run.end.p = getelementptr i64, ptr %run.p, i64 1
  %run.begin = load i64, ptr %run.p
  %run.end = load i64, ptr %run.end.p
  br label %lines.test
lines.test:
  %lines.k = phi i64 [ %at, %between ], [ %lines.next, %lines ]
  %lines.more = icmp slt i64 %lines.k, %run.begin
  br i1 %lines.more, label %lines, label %zeros.test
lines:
  %lines.from = getelementptr double, ptr %from, i64 %lines.k
  %lines.value = load <8 x double>, ptr %lines.from, align 8
  %lines.to = getelementptr double, ptr %to, i64 %lines.k
  store <8 x double> %lines.value, ptr %lines.to, align 64, !nontemporal !0
  %lines.next = add i64 %lines.k, 8
  br label %lines.test
zeros.test:
  %zeros.k = phi i64 [ %lines.k, %lines.test ], [ %zeros.next, %zeros ]
  %zeros.more = icmp slt i64 %zeros.k, %run.end
  br i1 %zeros.more, label %zeros, label %run
zeros:
  %zeros.to = getelementptr double, ptr %to, i64 %zeros.k
  store <8 x double> zeroinitializer, ptr %zeros.to, align 64, !nontemporal !0
  %zeros.next = add i64 %zeros.k, 8
  br label %zeros.test
rest.test:
  %rest.k = phi i64 [ %at, %run ], [ %rest.next, %rest ]
  %rest.more = icmp slt i64 %rest.k, %full
  br i1 %rest.more, label %rest, label %tail.test
rest:
  %rest.from = getelementptr double, ptr %from, i64 %rest.k
  %rest.value = load <8 x double>, ptr %rest.from, align 8
  %rest.to = getelementptr double, ptr %to, i64 %rest.k
  store <8 x double> %rest.value, ptr %rest.to, align 64, !nontemporal !0
  %rest.next = add i64 %rest.k, 8
  br label %rest.test
tail.test:
  %tail.k = phi i64 [ %rest.k, %rest.test ], [ %tail.next, %tail ]
  %tail.more = icmp slt i64 %tail.k, %numbers
  br i1 %tail.more, label %tail, label %done
tail:
  %tail.from = getelementptr double, ptr %from, i64 %tail.k
  %tail.value = load i64, ptr %tail.from, align 8
  %tail.to = getelementptr double, ptr %to, i64 %tail.k
  store i64 %tail.value, ptr %tail.to, align 8, !nontemporal !0
  %tail.next = add i64 %tail.k, 1
  br label %tail.test
done:
  ret void
}
!0 = !{i32 1}
define void @sincos_libm(ptr noalias %s, ptr %table, i64 %count) #1 {
entry:
  br label %angle
angle:
  %k = phi i64 [ 0, %entry ], [ %k.next, %angle.next ]
  %e0 = getelementptr [3 x i64], ptr %table, i64 %k
  %e1 = getelementptr i64, ptr %e0, i64 1
  %e2 = getelementptr i64, ptr %e0, i64 2
  %o0 = load i64, ptr %e0
  %o1 = load i64, ptr %e1
  %o2 = load i64, ptr %e2
  br label %lane
lane:
  %l = phi i64 [ 0, %angle ], [ %l.next, %lane.next ]
  %byte = shl i64 %l, 3
  %q0 = add i64 %o0, %byte
  %p0 = getelementptr i8, ptr %s, i64 %q0
  %x = load double, ptr %p0
  %abs = call double @llvm.fabs.f64(double %x)
  %out = fcmp ugt double %abs, 0x40F86A0000000000
  br i1 %out, label %call, label %lane.next
call:
  %sine = call double @sin(double %x)
  %cosine = call double @cos(double %x)
  %q1 = add i64 %o1, %byte
  %q2 = add i64 %o2, %byte
  %p1 = getelementptr i8, ptr %s, i64 %q1
  %p2 = getelementptr i8, ptr %s, i64 %q2
  store double %sine, ptr %p1
  store double %cosine, ptr %p2
  br label %lane.next
lane.next:
  %l.next = add i64 %l, 1
  %l.more = icmp ult i64 %l.next, 4
  br i1 %l.more, label %lane, label %angle.next
angle.next:
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, %count
  br i1 %k.more, label %angle, label %done
done:
  ret void
}
declare double @sin(double) #2
declare double @cos(double) #2
declare double @llvm.fabs.f64(double)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
attributes #0 = { nounwind noinline }
attributes #1 = { nounwind noinline cold }
attributes #2 = { nounwind }

define i1 @sincos(ptr noalias %s, ptr %table, i64 %count) #0 {
entry:
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %next, %loop ]
  %bad = phi <4 x i64> [ zeroinitializer, %entry ], [ %bad.next, %loop ]
  %e0 = getelementptr [3 x i64], ptr %table, i64 %k
  %e1 = getelementptr i64, ptr %e0, i64 1
  %e2 = getelementptr i64, ptr %e0, i64 2
  %o0 = load i64, ptr %e0
  %o1 = load i64, ptr %e1
  %o2 = load i64, ptr %e2
  %p0 = getelementptr i8, ptr %s, i64 %o0
  %p1 = getelementptr i8, ptr %s, i64 %o1
  %p2 = getelementptr i8, ptr %s, i64 %o2
  %x = load <4 x double>, ptr %p0, align 32
  %abs = call <4 x double> @llvm.fabs.v4f64(<4 x double> %x)
  %far = fcmp ugt <4 x double> %abs, splat (double 0x40F86A0000000000)
  %out = sext <4 x i1> %far to <4 x i64>
  %t = call <4 x double> @llvm.fma.v4f64(<4 x double> %x, <4 x double> splat (double 0x3FE45F306DC9C883), <4 x double> splat (double 0x4338000000000000))
  %n = fsub <4 x double> %t, splat (double 0x4338000000000000)
  %m = fneg <4 x double> %n
  %r = call <4 x double> @llvm.fma.v4f64(<4 x double> %m, <4 x double> splat (double 0x3FF921FB54442D18), <4 x double> %x)
  %np = fmul <4 x double> %n, splat (double 0x3C91A62633145C07)
  %hi = fsub <4 x double> %r, %np
  %moved = fsub <4 x double> %r, %hi
  %lost = fsub <4 x double> %moved, %np
  %rounded = call <4 x double> @llvm.fma.v4f64(<4 x double> %m, <4 x double> splat (double 0x3C91A62633145C07), <4 x double> %np)
  %rest = fadd <4 x double> %lost, %rounded
  %lo = call <4 x double> @llvm.fma.v4f64(<4 x double> %m, <4 x double> splat (double 0xB91F1976B7ED8FBC), <4 x double> %rest)
  %z = fmul <4 x double> %hi, %hi
  %ps0 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> splat (double 0x3DE5D93A5ACFD57C), <4 x double> splat (double 0xBE5AE5E68A2B9CEB))
  %ps1 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %ps0, <4 x double> splat (double 0x3EC71DE357B1FE7D))
  %ps2 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %ps1, <4 x double> splat (double 0xBF2A01A019C161D5))
  %ps3 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %ps2, <4 x double> splat (double 0x3F8111111110F8A6))
  %ps4 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %ps3, <4 x double> splat (double 0xBFC5555555555549))
  %cube = fmul <4 x double> %z, %hi
  %tail = call <4 x double> @llvm.fma.v4f64(<4 x double> %cube, <4 x double> %ps4, <4 x double> %lo)
  %sin0 = fadd <4 x double> %hi, %tail
  %pc0 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> splat (double 0xBDA8FAE9BE8838D4), <4 x double> splat (double 0x3E21EE9EBDB4B1C4))
  %pc1 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %pc0, <4 x double> splat (double 0xBE927E4F809C52AD))
  %pc2 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %pc1, <4 x double> splat (double 0x3EFA01A019CB1590))
  %pc3 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %pc2, <4 x double> splat (double 0xBF56C16C16C15177))
  %pc4 = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> %pc3, <4 x double> splat (double 0x3FA555555555554C))
  %w = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> splat (double 0xBFE0000000000000), <4 x double> splat (double 0x3FF0000000000000))
  %short = fsub <4 x double> splat (double 0x3FF0000000000000), %w
  %e = call <4 x double> @llvm.fma.v4f64(<4 x double> %z, <4 x double> splat (double 0xBFE0000000000000), <4 x double> %short)
  %square = fmul <4 x double> %z, %z
  %back = fneg <4 x double> %hi
  %f = call <4 x double> @llvm.fma.v4f64(<4 x double> %back, <4 x double> %lo, <4 x double> %e)
  %g = call <4 x double> @llvm.fma.v4f64(<4 x double> %square, <4 x double> %pc4, <4 x double> %f)
  %cos0 = fadd <4 x double> %w, %g
  %q = bitcast <4 x double> %t to <4 x i64>
  %swap.bit = shl <4 x i64> %q, splat (i64 63)
  %swap = icmp slt <4 x i64> %swap.bit, splat (i64 0)
  %s0 = select <4 x i1> %swap, <4 x double> %cos0, <4 x double> %sin0
  %c0 = select <4 x i1> %swap, <4 x double> %sin0, <4 x double> %cos0
  %up = add <4 x i64> %q, splat (i64 1)
  %sine.t = shl <4 x i64> %q, splat (i64 62)
  %sine.s = and <4 x i64> %sine.t, splat (i64 -9223372036854775808)
  %sine.b = bitcast <4 x double> %s0 to <4 x i64>
  %sine.x = xor <4 x i64> %sine.b, %sine.s
  %sine = bitcast <4 x i64> %sine.x to <4 x double>
  %cosine.t = shl <4 x i64> %up, splat (i64 62)
  %cosine.s = and <4 x i64> %cosine.t, splat (i64 -9223372036854775808)
  %cosine.b = bitcast <4 x double> %c0 to <4 x i64>
  %cosine.x = xor <4 x i64> %cosine.b, %cosine.s
  %cosine = bitcast <4 x i64> %cosine.x to <4 x double>
  store <4 x double> %sine, ptr %p1, align 32
  store <4 x double> %cosine, ptr %p2, align 32
  %bad.next = or <4 x i64> %bad, %out
  %next = add i64 %k, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %check, !prof !0
check:
  %flat = bitcast <4 x i64> %bad.next to i256
  %any = icmp ne i256 %flat, 0
  ret i1 %any
}
!0 = !{!"branch_weights", i32 8, i32 1}
declare double @sin(double) #2
declare double @cos(double) #2
declare double @llvm.fabs.f64(double)
declare <4 x double> @llvm.fma.v4f64(<4 x double>, <4 x double>, <4 x double>)
declare <4 x double> @llvm.sqrt.v4f64(<4 x double>)
declare <4 x double> @llvm.fabs.v4f64(<4 x double>)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
attributes #0 = { nounwind noinline }
attributes #1 = { nounwind noinline cold }
attributes #2 = { nounwind }
