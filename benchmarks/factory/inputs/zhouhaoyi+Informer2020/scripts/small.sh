### small data
for features in MS; do
  size=1
  if [ $features != S ]; then size=3; fi
  python -u main_informer.py --model informer --data custom --root_path ./data/ --data_path small.csv \
    --features $features --target OT --enc_in $size --dec_in $size --c_out ${out:-1} \
    --seq_len 24 --label_len 12 --pred_len 6 --d_model 16 --n_heads 2 --d_ff 32 --e_layers 1 \
    --train_epochs 1 --itr 1 --batch_size 32 || exit 1
done
